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

export interface Aftermath extends SourceCounts {
  readonly loopMaxMs: number
  readonly loopP99Ms: number
  readonly heapMb: number
  readonly sharesRows: boolean
}

/** What the process that serves does when it is told to, one at a time. */
export interface Serving {
  /** All users ask at once; answers when the last of them has its last row. */
  storm(storm: Storm): Promise<Answered>
  /** Processor time since the storm began. */
  spentMs(): number
  /** Ends the watch that began with the storm, and lets go of its rows. */
  finish(): Aftermath
  /** To be called when the store is emptied. */
  forget(): Promise<void>
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
