import type { Figure } from './figure.ts'
import type { Section } from './report/section.ts'
import type { Result } from './result/result.ts'
import type { RunOptions } from './run-options.ts'

/** Measurements have no keys of a result, beside which they are stored. */
type Beside<Reserved> = object & { readonly [Key in keyof Reserved]?: never }

/** One group of measurements that answer one question. */
export interface Suite<Measurements extends Beside<Result> = object> {
  /** Whose versions belong into the result. */
  readonly packages: readonly string[]
  /** Writes progress to stderr and nothing to stdout; what it returns is plain JSON. */
  run(options: RunOptions): Promise<Measurements>
  /** The measurements as tables and charts, for a terminal and for the report. */
  present(measurements: Measurements): readonly Section[]
  /** The numbers that matter, by name: some ten, not hundreds. */
  figures(measurements: Measurements): Readonly<Record<string, Figure>>
  /** What README shows of them: one small table; none for most suites. */
  headline?(measurements: Measurements): Section
  /** Why the measurements are a failure, and the exit code 1; none for suites that only measure. */
  problems?(measurements: Measurements): readonly string[]
}

/** A suite as `npm run bench` lists it; loaded only when asked for, after what it imports has been built. */
export interface SuiteEntry {
  readonly name: string
  readonly question: string
  /** Whether `compare` takes it unasked: a quick look is under half a minute, and two of them differ by little. */
  readonly isSteady?: boolean
  load(): Promise<Suite>
}
