/**
 * `npm run mutate -- FOLDER…`: changes the code of folders of libs/model-cache/src, of other packages (or of single files) in every way that
 * Stryker knows, one change at a time, and runs the tests that reach it. A change that no test notices is a survivor. `--all` takes all.
 *
 * What tests have noticed is kept in `scripts/mutate/results`, so that an interrupted run goes on where it was; of files that have changed
 * it begins again, and folders that are done are reported only. A run that ends a folder updates the table of CONTRIBUTING.md.
 *
 * `--again` runs the specs of folders that are done with what is left of them. `--unit` leaves out the specs that need servers; `--specs TEXT`
 * takes those alone whose path contains the text, or one of several (`--specs a --specs b`). `--list` runs nothing. Exits with code 1 if
 * less than 85 % of all mutants are noticed, if a survivor is not explained in `scripts/mutate/accepted`, or if that has an entry without a survivor.
 */
import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestServers, stopTestServers } from '../test/support/test-servers.ts'
import { Acceptance, changeOf } from './mutate/accepted.ts'
import { instrument } from './mutate/instrument.ts'
import type { Mutant } from './mutate/mutant.ts'
import { MutantRuns } from './mutate/mutant-runs.ts'
import { Pool } from './mutate/pool.ts'
import { Progress } from './mutate/progress.ts'
import { OTHER_SOURCES, pathOfFolder, roundsOf, SOURCES } from './mutate/rounds.ts'
import { writeScore } from './mutate/score-table.ts'
import { SurveyCache } from './mutate/survey-cache.ts'

const GOAL = 0.85
const RESULTS = 'scripts/mutate/results'
const ACCEPTED = 'scripts/mutate/accepted'
const SURVEYS = 'dist/mutate/surveys'
/** Specs that the package exports. A mutant of theirs would only be noticed by a store that is wrong. */
const CONTRACTS = `${SOURCES}/testing/describe-*.ts`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    unit: { type: 'boolean', default: false },
    specs: { type: 'string', multiple: true, default: [] },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
process.chdir(join(import.meta.dirname, '..'))
if (values.all === positionals.length > 0)
  throw new Error(`Name folders or files of ${SOURCES}, such as protocol, or another package, or give --all`)
/** Whether all specs run. */
const isFull = !values.unit && values.specs.length === 0 && !values.list
let servers: Promise<string> | undefined

try {
  const targets = values.all ? [...foldersOf(SOURCES), '.', ...Object.keys(OTHER_SOURCES)] : positionals
  for (const target of targets) await measure(target)
} finally {
  if (servers) await stopTestServers()
}

async function measure(target: string): Promise<void> {
  const path = pathOf(target)
  const folder = folderOf(path)
  const files = filesOf(path)
  if (files.length === 0) throw new Error(`${path} has no TypeScript`)
  const startedAt = performance.now()
  const ofFolder = filesOf(pathOfFolder(folder))
  const { mutants: allMutants, texts } = await instrument(ofFolder)
  const name = `${folder || 'root'}.json`
  const progress = new Progress(join(RESULTS, name), allMutants)
  const acceptance = new Acceptance(join(ACCEPTED, name), pathOfFolder(folder))
  const mutants = allMutants.filter(({ file }) => files.includes(file))
  const isLeft = (mutant: Mutant) => !progress.hasNoticed(mutant)
  const rounds = roundsOf(folder, files).slice(0, values.unit ? 1 : undefined)
  /** Whether the rounds that end are those of all files. */
  const isWhole = isFull && files.length === ofFolder.length
  const begun = isWhole && !values.again ? progress.rounds : 0
  if (begun < rounds.length && !values.list) {
    if (isWhole) progress.rounds = begun
    await withRuns(texts, async (runs, endProcesses) => {
      for (const [i, specs] of rounds.entries()) {
        if (i < begun) continue
        // Explained mutants run with unit specs alone.
        const left = mutants.filter((mutant) => isLeft(mutant) && (i === 0 || !acceptance.has(mutant)))
        if (i > 0 && left.length > 0 && !servers) {
          servers = startTestServers()
          console.error(await servers)
          endProcesses()
        }
        // Beginning a process costs more than most unit specs; specs with servers mostly wait.
        const processes = (i === 0 ? 2 : 4) * availableParallelism()
        if (left.length > 0)
          await runs.run(left, specs.filter(isChosen), processes, (mutant) => progress.notice(mutant))
        if (isWhole) progress.rounds = i + 1
        progress.write()
      }
    })
  }
  const survivors = mutants.filter(isLeft)
  const minutes = (performance.now() - startedAt) / 60_000
  report(path, { files, folder, mutants, survivors, acceptance, isWhole, minutes })
}

async function withRuns(
  texts: ReadonlyMap<string, string>,
  work: (runs: MutantRuns, endProcesses: () => void) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mutate-'))
  const textsFile = join(folder, 'texts.json')
  writeFileSync(textsFile, JSON.stringify(Object.fromEntries(texts)))
  const pool = new Pool(textsFile)
  const surveys = new SurveyCache(SURVEYS, texts)
  const log = (line: string): void => void process.stderr.write(`${line}\n`)
  try {
    await work(new MutantRuns(pool, surveys, log), () => pool.close())
  } finally {
    pool.close()
    rmSync(folder, { recursive: true })
  }
}

function isChosen(spec: string): boolean {
  return values.specs.length === 0 || values.specs.some((text) => spec.includes(text))
}

function foldersOf(path: string): readonly string[] {
  const entries = readdirSync(path, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** The files of a folder and of those in it; of the root alone its own. */
function filesOf(path: string): readonly string[] {
  if (path.endsWith('.ts')) return [path]
  const own = path === SOURCES ? '*.ts' : '**/*.ts'
  return globSync(`${path}/${own}`, { exclude: ['**/*.spec.ts', '**/*.d.ts', CONTRACTS] }).toSorted()
}

/** @param target a path, or one below the sources of model-cache, or of another package with its folder before it */
function pathOf(target: string): string {
  if (target.startsWith('libs/')) return join(target)
  const [first, ...rest] = target.split('/')
  return join(OTHER_SOURCES[first!] ?? join(SOURCES, first!), ...rest)
}

/** The folder of model-cache that a path is in, or the package; `''` for the files beside the folders. */
function folderOf(path: string): string {
  const other = Object.keys(OTHER_SOURCES).find((name) => path.startsWith(OTHER_SOURCES[name]!))
  if (other !== undefined) return other
  const [first, ...rest] = relative(SOURCES, path).split(sep)
  return first!.endsWith('.ts') && rest.length === 0 ? '' : first!
}

interface Outcome {
  readonly folder: string
  readonly files: readonly string[]
  readonly mutants: readonly Mutant[]
  readonly survivors: readonly Mutant[]
  readonly acceptance: Acceptance
  readonly isWhole: boolean
  readonly minutes: number
}

function report(
  path: string,
  { files, folder, mutants, survivors, acceptance, isWhole, minutes }: Outcome,
): void {
  const unexplained = survivors.filter((mutant) => !acceptance.has(mutant))
  for (const mutant of unexplained) console.log(`${mutant.file}:${mutant.line} ${changeOf(mutant)}`)
  const noticed = mutants.length - survivors.length
  const score = noticed / mutants.length
  console.log(
    `${path}: ${(score * 100).toFixed(1)} % (${noticed} of ${mutants.length} mutants noticed, ` +
      `${survivors.length - unexplained.length} explained, ${unexplained.length} not; ${minutes.toFixed(1)} min)`,
  )
  const stale = isFull ? acceptance.stale(files, survivors) : []
  for (const entry of stale) console.log(`${ACCEPTED}: no survivor ${entry}`)
  if (score < GOAL || stale.length > 0 || (isFull && unexplained.length > 0)) process.exitCode = 1
  if (isWhole) writeScore(folder, { mutants: mutants.length, noticed, unexplained: unexplained.length })
}
