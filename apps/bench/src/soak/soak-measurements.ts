/** Open handles of a process, by type as Node names them. */
export type Handles = Readonly<Record<string, number>>

/** One look at the process, when nothing was under way in it. */
export interface Sample {
  /** Since the first storm. */
  readonly minutes: number
  /** Objects that are left after full garbage collections, without compiled code. */
  readonly heapKb: number
}

/** What the process has done until now. */
export interface Progress {
  readonly storms: number
  readonly reads: number
  readonly loads: number
  readonly invalidations: number
  /** Reads that were rejected, or answered with another row than was asked for. */
  readonly errors: number
  /** The first of them. */
  readonly firstError?: string
}

export interface SoakMeasurements extends Progress {
  readonly server: string
  readonly minutes: number
  /** What was done to the server, and how often. */
  readonly illnesses: Readonly<Record<string, number>>
  readonly samples: readonly Sample[]
  /** Of the heap, in the second half of the time: in the first the process warms up. */
  readonly heapKbPerMinute: number
  readonly heapKbPerMinuteError: number
  readonly handlesAtStart: Handles
  readonly handlesAtEnd: Handles
  /** Why the soak has failed; empty when it has not. */
  readonly problems: readonly string[]
}
