import type { Section } from './section.ts'

/** One number that `compare` follows from revision to revision. */
export interface Figure {
  readonly value: number
  readonly unit: string
  readonly better: 'lower' | 'higher'
}

export type Figures = Readonly<Record<string, Figure>>

export interface RunOptions {
  /** A short, noisy run that shows that the suite works. */
  readonly quick: boolean
  /** Names of the parts to measure; empty for all. */
  readonly only: readonly string[]
  /** Duration of suites that measure over time. */
  readonly minutes?: number
  /** `--max-semi-space-size` of the measured processes. */
  readonly semiSpaceMb?: number
}

/** A group of measurements that answer one question. */
export interface Suite<Measurements extends object = object> {
  /** Packages whose versions belong in the result. */
  readonly packages: readonly string[]
  /** Returns plain JSON. Writes progress to stderr and nothing to stdout. */
  measure(options: RunOptions): Promise<Measurements>
  /** Declares the tables and charts of a stored result, for terminal, Markdown and HTML. */
  sections(measurements: Measurements): readonly Section[]
  /** What the measurements of a run with all parts say, in one sentence for docs/benchmarks.md. */
  conclusion(measurements: Measurements): string
  /** Figures of README, with their units. */
  headlines?(measurements: Measurements): Readonly<Record<string, string>>
  /** The dozen numbers that matter, by name. */
  figures(measurements: Measurements): Figures
  /** Reasons why the run fails, with exit code 1. */
  problems?(measurements: Measurements, options: RunOptions): readonly string[]
}

/** Infers the measurements of a suite from `measure`. */
export const defineSuite = <Measurements extends object>(suite: Suite<Measurements>): Suite<Measurements> =>
  suite

/** A suite as `npm run bench` lists it. It is loaded after the library has been built. */
export interface SuiteEntry<Measurements extends object = object> {
  readonly name: string
  readonly question: string
  /** Whether `compare` runs it by default: its quick run is short and repeats well. */
  readonly isSteady?: boolean
  load(): Promise<Suite<Measurements>>
}

export const lower = (value: number, unit: string): Figure => ({ value, unit, better: 'lower' })
export const higher = (value: number, unit: string): Figure => ({ value, unit, better: 'higher' })
