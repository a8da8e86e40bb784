import type { SourceCounts } from './counting-source.ts'
import type { Workload } from './storm-measurements.ts'

export interface Storm {
  readonly workload: Workload
  /** All of the workload's lots, or every second one. */
  readonly part: 'all' | 'half'
  /** Whether every row that a caller was given is compared with that of the source. */
  readonly verify: boolean
}

export interface Answered {
  readonly wallMs: number
  readonly cpuMs: number
}

export interface Settled extends SourceCounts {
  readonly cpuMs: number
  readonly loopMaxMs: number
  readonly loopP99Ms: number
  readonly sharesRows: boolean
}

/** What the process that serves does when it is told to, one at a time. */
export interface Serving {
  /** All users ask at once; answers when the last of them has its last row. */
  storm(storm: Storm): Promise<Answered>
  /** To be called when all that follows from the storm is done: what has been measured since it began. */
  settle(): Settled
  /** Frees short-lived garbage, so that the next storm is not charged with it. */
  clean(): void
  /** To be called when the store is emptied. */
  forget(): Promise<void>
  /** Megabytes in use after a full garbage collection. */
  heapMb(): number
}

export interface Call {
  readonly method: keyof Serving
  readonly argument?: Storm
}

export type Reply = { readonly value: unknown } | { readonly error: string }

/** The first message of the process: it is ready. */
export interface Ready {
  readonly livenessUrl: string
}
