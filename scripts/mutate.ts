/**
 * `npm run mutate -- FOLDER`: changes the code of a folder of libs/model-cache/src (or one file) in every way that Stryker knows, one change
 * at a time, and runs the tests that reach it. A change that no test notices is a survivor.
 *
 * `--unit` leaves out the specs that need servers; `--specs TEXT` takes those alone whose path contains the text, or one of several
 * (`--specs a --specs b`); `--again` runs only what survived the last run of the same folder. Exits with code 1 if less than 85 % of all
 * mutants are noticed, or if `accepted.json` has an entry without a survivor.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestServers, stopTestServers } from '../test/support/test-servers.ts'
import { Acceptance } from './mutate/accepted.ts'
import { instrument } from './mutate/instrument.ts'
import type { Mutant } from './mutate/instrument.ts'
import { MutantRuns } from './mutate/mutant-runs.ts'
import { Pool } from './mutate/pool.ts'
import { SurveyCache } from './mutate/survey-cache.ts'

const GOAL = 0.85
const SOURCES = 'libs/model-cache/src'
/** The specs of the folders that reach the code of others. Those of the rest, such as codec or follow, reach their own alone. */
const UNIT_SPECS = [
  `${SOURCES}/{cache,consistency,definitions,inspector,nest,source,store,testing}/**/*.spec.ts`,
]
/** In rounds: the specs of each run with what the rounds before have not noticed. */
const SERVER_SPECS = [
  [
    'test/integration/{consistency,reads,writes,lookups,reads-through-prisma}/**/*.spec.ts',
    'test/integration/{burst-counts,foreign-keys,l1-lost-messages,nest-module,valkey-store}.spec.ts',
    'test/integration/differential/reads/forms.spec.ts',
  ],
]
/** Those of folders that have specs of their own: nearly every spec reaches the store, so those that wait for failures come last. */
const SERVER_SPECS_OF: Readonly<Record<string, readonly (readonly string[])[]>> = {
  store: [
    ['test/integration/store/*.spec.ts', 'test/integration/joint-questions.spec.ts'],
    [
      'test/integration/{valkey-store,demoted-primary}.spec.ts',
      'test/integration/configuration/valkey-advice.spec.ts',
      'test/integration/doctor/valkey.spec.ts',
    ],
    ['test/integration/unavailable-valkey.spec.ts', 'test/integration/cluster/*.spec.ts'],
  ],
  follow: [
    ['test/integration/follow/{gaps,rivals,changed-tables,set-up,required,health,visibility}.spec.ts'],
    ['test/integration/follow/{statements,special-tables,random-statements,takeover}.spec.ts'],
  ],
  doctor: [['test/integration/doctor/*.spec.ts']],
  inspector: [['test/integration/inspector/*.spec.ts']],
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    unit: { type: 'boolean', default: false },
    specs: { type: 'string', multiple: true, default: [] },
    again: { type: 'boolean', default: false },
  },
})
process.chdir(join(import.meta.dirname, '..'))

const [target, ...others] = positionals
if (target === undefined || others.length > 0)
  throw new Error(`Name one folder or file of ${SOURCES}: consistency`)
const path = join(SOURCES, target.replace(SOURCES, ''))
const files = (
  path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.ts`, { exclude: ['**/*.spec.ts'] })
).toSorted()
if (files.length === 0) throw new Error(`${path} has no TypeScript`)

const reportFile = join('dist/mutate', `${target.replaceAll('/', '-')}.json`)
const startedAt = performance.now()
const { mutants: all, texts } = await instrument(files)
const mutants = values.again ? survivorsOfLastRun(all) : all
const acceptance = new Acceptance(join(import.meta.dirname, 'mutate/accepted.json'))

const folder = mkdtempSync(join(tmpdir(), 'mutate-'))
const textsFile = join(folder, 'texts.json')
writeFileSync(textsFile, JSON.stringify(Object.fromEntries(texts)))
const pool = new Pool(textsFile)
const runs = new MutantRuns(
  pool,
  new SurveyCache('dist/mutate/surveys', texts),
  4 * availableParallelism(),
  (line) => process.stderr.write(`${line}\n`),
)
try {
  let survivors: readonly Mutant[] = mutants
  const run = async (specs: readonly string[]): Promise<void> => {
    survivors = await runs.run(survivors, specs)
    // Also if a later round is interrupted.
    mkdirSync('dist/mutate', { recursive: true })
    writeFileSync(reportFile, `${JSON.stringify(survivors, null, 1)}\n`)
  }
  await run(specsOf([...UNIT_SPECS, `${SOURCES}/${folderOf(path)}/**/*.spec.ts`]))
  const rounds = values.unit ? [] : serverRounds()
  if (rounds.length > 0) {
    console.error(await startTestServers())
    pool.close()
  }
  for (const specs of rounds) await run(specs)
  report(survivors)
} finally {
  pool.close()
  await stopTestServers()
  rmSync(folder, { recursive: true })
}

function specsOf(patterns: readonly string[]): string[] {
  return [...new Set(globSync(patterns))]
    .filter((spec) => values.specs.length === 0 || values.specs.some((text) => spec.includes(text)))
    .toSorted()
}

/** The folder of the library that a path is in. */
function folderOf(path: string): string {
  return relative(SOURCES, path).split(sep)[0]!
}

function serverRounds(): string[][] {
  const rounds = SERVER_SPECS_OF[folderOf(path)] ?? SERVER_SPECS
  return rounds.map(specsOf).filter((specs) => specs.length > 0)
}

function survivorsOfLastRun(mutants: readonly Mutant[]): Mutant[] {
  const last = JSON.parse(readFileSync(reportFile, 'utf8')) as Mutant[]
  const keyOf = ({ file, original, replacement }: Mutant) => JSON.stringify([file, original, replacement])
  const survived = new Set(last.map(keyOf))
  return mutants.filter((mutant) => survived.has(keyOf(mutant)))
}

function report(survivors: readonly Mutant[]): void {
  const minutes = (performance.now() - startedAt) / 60_000
  const explained = survivors.filter((mutant) => acceptance.has(mutant))
  for (const mutant of survivors) {
    if (explained.includes(mutant)) continue
    const { file, line, original, replacement } = mutant
    console.log(
      `${file}:${line} ${shortened(original)} → ${shortened(replacement)}${runs.isReached(mutant) ? '' : ' (no test reaches it)'}`,
    )
  }
  const noticed = mutants.length - survivors.length
  const score = noticed / mutants.length
  const ofAll = values.again ? 'of the last survivors' : 'mutants'
  console.log(
    `${path}: ${(score * 100).toFixed(1)} % (${noticed} of ${mutants.length} ${ofAll} noticed, ${explained.length} explained, ` +
      `${survivors.length - explained.length} not; ${minutes.toFixed(1)} min)`,
  )
  if (values.again) return
  const stale = values.unit || values.specs.length > 0 ? [] : acceptance.stale(files, survivors)
  for (const { file, original, replacement } of stale)
    console.log(`accepted.json: no survivor ${file} ${original} → ${replacement}`)
  if (score < GOAL || stale.length > 0) process.exitCode = 1
}

function shortened(code: string): string {
  return code.length > 90 ? `${code.slice(0, 60)} … ${code.slice(-25)}` : code
}
