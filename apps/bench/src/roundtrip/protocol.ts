import type { CandidateName } from './candidates.ts'
import type { Latencies } from './latency.ts'
import type { OperationName } from './operations.ts'

/** What one process is asked for, in one of its parts. */
export type RoundtripTask =
  | { readonly part: 'throughput'; readonly candidate: CandidateName; readonly operations: number }
  | {
      readonly part: 'latency'
      readonly candidate: CandidateName
      readonly operations: number
      /** Between two moments at which 64 operations are due, by fixture; the same for all candidates. */
      readonly intervalsUs: Readonly<Record<string, number>>
    }
  | { readonly part: 'sizes' | 'coalescing'; readonly quick: boolean; readonly hasSimdjson: boolean }

/** Operations per second of processor time, by fixture and operation. */
export type Throughputs = Readonly<Record<string, Readonly<Record<OperationName, number>>>>

export interface ThroughputAnswer {
  readonly fixtures: Throughputs
  /** Of callers who ask for nothing. */
  readonly idle: number
}

/** By fixture. */
export type LatencyAnswer = Readonly<Record<string, Latencies>>
