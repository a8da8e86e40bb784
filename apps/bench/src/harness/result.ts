import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { measureNoiseFloor, noiseText } from './noise-floor.ts'
import { say } from './progress.ts'
import type { Suite } from './comparison.ts'
import type { RunOptions } from './figure.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** The reference results, which are committed: README, docs and the report are generated from them. */
const RESULTS = join(ROOT, 'apps/bench/results')

/** One run of a suite as plain JSON, as `--json` prints it. */
export type Result = Awaited<ReturnType<typeof runSuite>>

/** Measures the noise of the machine, then runs the suite. The suite's own measurements stand beside the keys of all results. */
export async function runSuite(suite: Suite, options: RunOptions) {
  const start = performance.now()
  const environment = {
    suite: suite.name,
    node: process.version,
    v8: process.versions.v8,
    ...thisMachine(),
    date: new Date().toISOString(),
    revision: revisionOf(),
    /** Versions. */
    packages: Object.fromEntries(suite.packages.map((name) => [name, versionOf(name)])),
    options,
    noise: await measureNoiseFloor(options.quick),
  }
  say(noiseText(environment.noise))
  const measurements = await suite.measure(options)
  const tookSeconds = Math.round((performance.now() - start) / 1000)
  say(`${suite.name}: ${tookSeconds} s`)
  return {
    ...measurements,
    ...environment,
    tookSeconds,
    figures: suite.figures(measurements),
    /** Why the run fails; empty when it does not. */
    failures: suite.problems(measurements, options),
  }
}

export function thisMachine() {
  const processors = cpus()
  const cpu = processors[0]?.model ?? 'unknown'
  return {
    cpu: `${cpu} × ${processors.length}`,
    machine: {
      cpu,
      cores: processors.length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      os: `${type()} ${release()}, ${process.arch}`,
    },
  }
}

const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })

/** The commit is missing outside of a clone; `dirty` means that files had changed since. */
export function revisionOf(): { readonly commit?: string; readonly dirty: boolean } {
  const head = git('rev-parse', 'HEAD')
  if (head.status !== 0) return { dirty: false }
  // Stored results and generated pages do not change what is measured.
  const changes = git('status', '--porcelain', '--', '.', ':!apps/bench/results', ':!docs', ':!*.md')
  return { commit: head.stdout.trim(), dirty: changes.stdout !== '' }
}

/** Whether a library has changed since a commit, or the commit is unknown. */
export function isChanged(since: string): boolean {
  return git('diff', '--quiet', since, 'HEAD', '--', 'libs', ':!*.spec.ts', ':!*.md').status !== 0
}

function versionOf(name: string): string {
  const path = ['apps/bench/node_modules', 'node_modules']
    .map((folder) => join(ROOT, folder, name, 'package.json'))
    .find((candidate) => existsSync(candidate))
  return (JSON.parse(readFileSync(path!, 'utf8')) as { version: string }).version
}

export const referenceOf = (suite: string): string => join(RESULTS, `${suite}.json`)

/** A run of as many minutes is as full as one without the option. */
const LONG_MINUTES = 60

/**
 * Where a run is stored: in the file that `--out` names; a full run with nothing left out or changed, or one of an hour
 * or more, as the reference of its suite; any other run nowhere.
 */
export function placeOf(suite: string, options: RunOptions, out: string | undefined): string | undefined {
  if (out !== undefined) return out
  const { quick, only, minutes, semiSpaceMb } = options
  const isLong = minutes === undefined || minutes >= LONG_MINUTES
  const isReference = !quick && only.length === 0 && isLong && semiSpaceMb === undefined
  return isReference ? referenceOf(suite) : undefined
}

export function storeResult(path: string, result: Result): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(result, null, 1)}\n`)
}

/** @throws when the file is not a result of the suite */
export function readResult(suite: string, path = referenceOf(suite)): Result | undefined {
  if (!existsSync(path)) return undefined
  const result = JSON.parse(readFileSync(path, 'utf8')) as Result
  if (result.suite === suite && result.figures && result.noise) return result
  throw new Error(
    `${relative(process.cwd(), path)} is not a result of "${suite}". Measure it again: npm run bench -- ${suite}`,
  )
}
