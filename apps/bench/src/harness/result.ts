import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { measureNoiseFloor, noiseText, type NoiseFloor } from './noise-floor.ts'
import { say } from './progress.ts'
import type { Suite } from './comparison.ts'
import type { Figures, RunOptions } from './figure.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** The reference results, which are committed: README, docs and the report are generated from them. */
const RESULTS = join(ROOT, 'apps/bench/results')

/** One run of a suite as plain JSON, as `--json` prints it. The suite's own measurements stand beside these keys. */
export interface Result {
  readonly suite: string
  readonly node: string
  readonly v8: string
  /** Model and number of processors. */
  readonly cpu: string
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memoryGb: number
    readonly os: string
  }
  readonly date: string
  /** `commit` is missing outside of a clone; `dirty` means that files had changed since. */
  readonly revision: { readonly commit?: string; readonly dirty: boolean }
  /** Versions by package. */
  readonly packages: Readonly<Record<string, string>>
  readonly options: RunOptions
  readonly noise: NoiseFloor
  readonly figures: Figures
  /** Why the run fails; empty when it does not. */
  readonly failures: readonly string[]
}

/** Measures the noise of the machine, then runs the suite. */
export async function runSuite(suite: Suite, options: RunOptions): Promise<Result> {
  const start = performance.now()
  const environment = environmentOf(suite.packages)
  const noise = await measureNoiseFloor(options.quick)
  say(noiseText(noise))
  const measurements = await suite.measure(options)
  say(`${suite.name}: ${((performance.now() - start) / 1000).toFixed(0)} s`)
  return {
    ...measurements,
    suite: suite.name,
    ...environment,
    options,
    noise,
    figures: suite.figures(measurements),
    failures: suite.problems(measurements, options),
  }
}

function environmentOf(packages: readonly string[]) {
  const processors = cpus()
  const cpu = processors[0]?.model ?? 'unknown'
  return {
    node: process.version,
    v8: process.versions.v8,
    cpu: `${cpu} × ${processors.length}`,
    machine: {
      cpu,
      cores: processors.length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      os: `${type()} ${release()}, ${process.arch}`,
    },
    date: new Date().toISOString(),
    revision: revisionOf(ROOT),
    packages: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  }
}

function revisionOf(folder: string): Result['revision'] {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  const head = git('rev-parse', 'HEAD')
  if (head.status !== 0) return { dirty: false }
  // Stored results and generated pages do not change what is measured.
  const changes = git('status', '--porcelain', '--', '.', ':!apps/bench/results', ':!docs', ':!*.md')
  return { commit: head.stdout.trim(), dirty: changes.stdout !== '' }
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
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
