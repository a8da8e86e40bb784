export interface RunOptions {
  /** A short look, for checking that it works: noisy, under a minute. */
  readonly quick: boolean
  /** Parts to measure, by name; empty for all. */
  readonly only: readonly string[]
  /** How long to go on, for suites that measure over time. */
  readonly minutes?: number
  /** `--max-semi-space-size` of the processes that are measured, for suites that start some; V8's own when left out. */
  readonly semiSpaceMb?: number
}
