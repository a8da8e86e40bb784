import type { Timing } from '../measure/interleave.ts'

export interface WalkerResult {
  readonly fixture: string
  /** Of a row as JSON, mean. */
  readonly bytes: number
  /** Dates that a row has, mean. */
  readonly dates: number
  /** Nanoseconds of processor time per row, by reader. */
  readonly timings: Readonly<Record<string, Timing>>
}

export interface WalkersMeasurements {
  readonly fixtures: readonly WalkerResult[]
}
