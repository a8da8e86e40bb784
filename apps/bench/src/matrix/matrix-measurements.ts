import type { Scenario } from './scenarios.ts'

/** Parts of the reads that a memory of rows answers. */
export const HIT_RATES = [0, 0.25, 0.5, 0.75, 1] as const

/** One strategy in one scenario at one hit rate. */
export interface Cell {
  readonly strategy: string
  readonly scenario: string
  /** The part of the reads that its memory answered; undefined where it has none. */
  readonly hitRate?: number
  /** Medians of storms: how long work waits for the event loop, the 99th percentile, and the longest block. */
  readonly loopP99Ms: number
  readonly loopMaxMs: number
  /** From the moment at which all users ask until one has all of its rows: the 99th percentile of users, of all storms. */
  readonly wallP99Ms: number
  /** From texts to rows, all of one storm together: the 99th percentile of storms. */
  readonly parseP99Ms: number
  /** Processor time of a storm, all threads of the process: the median. */
  readonly cpuMs: number
  /** Half the distance of its quartiles, as a part of the median. */
  readonly cpuSpread: number
  /** What V8 has allocated in a storm, in megabytes: the median. */
  readonly allocatedMb: number
  /** What the process holds after it, garbage collected, beyond what it held before the strategy was opened. */
  readonly heapMb: number
}

export interface MatrixMeasurements {
  /** For example `Valkey 9.1.2`. */
  readonly server: string
  readonly rounds: number
  /** Storms of each cell over all rounds, by scenario. */
  readonly storms: Readonly<Record<string, number>>
  readonly scenarios: readonly (Scenario & { readonly reads: number; readonly bytesPerRow: number })[]
  readonly cells: readonly Cell[]
  /** Why strategies were not measured, by name. */
  readonly missing: Readonly<Record<string, string>>
  /** What to know of a strategy, by name. */
  readonly notes: Readonly<Record<string, string>>
  /** How often JSON.parse calls the reviver of the baseline in one heavy storm. */
  readonly reviverCalls: number
}
