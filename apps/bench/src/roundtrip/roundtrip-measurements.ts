import type { Timing } from '../measure/interleave.ts'
import type { CandidateName } from './candidates.ts'
import type { OperationName } from './operations.ts'

/** Nanoseconds of processor time per call, by name. */
export type Timings = Readonly<Record<string, Timing>>

/** One candidate's operation on one fixture. */
export interface ThroughputCell {
  readonly candidate: CandidateName
  readonly fixture: string
  readonly operation: OperationName
  /** Of processor time: the median of the rounds. */
  readonly perSecond: number
  /** Half the distance of the quartiles, as a part of the median. */
  readonly spread: number
}

/** Round trips that are due 64 at a time. */
export interface LatencyCell {
  readonly candidate: CandidateName
  readonly fixture: string
  /** Medians of the rounds. */
  readonly p99Us: number
  readonly maxUs: number
  /** The worst of all rounds. */
  readonly worstUs: number
}

export interface SizeResult {
  /** Of a value as JSON, mean. */
  readonly bytes: number
  /** Per value. */
  readonly timings: Timings
}

export interface CoalescingResult {
  readonly bytes: number
  /** Values that are read at a time. */
  readonly reads: number
  /** Of all of them together. */
  readonly timings: Timings
}

export interface RoundtripMeasurements {
  readonly concurrency: number
  /** Of each cell and round. */
  readonly operations: number
  readonly rounds: number
  readonly throughput: readonly ThroughputCell[]
  /** What callers cost who ask for nothing, as operations per second. */
  readonly idlePerSecond: number
  /** Microseconds between the moments at which operations are due: twice what v1 takes for them, by fixture. */
  readonly intervalsUs: Readonly<Record<string, number>>
  readonly latency: readonly LatencyCell[]
  readonly sizes: readonly SizeResult[]
  readonly coalescing: readonly CoalescingResult[]
  /** Why simdjson is not among the parsers. */
  readonly simdjsonMissing?: string
}
