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

export const lower = (value: number, unit: string): Figure => ({ value, unit, better: 'lower' })
export const higher = (value: number, unit: string): Figure => ({ value, unit, better: 'higher' })
