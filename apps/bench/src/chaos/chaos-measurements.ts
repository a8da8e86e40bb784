import type { Befallen } from './faults/fault-log.ts'
import type { ReadsDuring } from './check/by-fault.ts'
import type { Violation } from './check/check-reads.ts'
import type { WriteOfPod } from './check/history.ts'

/** What a time under faults has shown. */
export interface PhaseMeasurements {
  readonly seconds: number
  /** Rows that were read. */
  readonly reads: number
  /** Of these, those that Valkey had. */
  readonly hits: number
  /** Transactions that were committed. */
  readonly writes: number
  /** Of these, those of processes without any cache. */
  readonly workerWrites: number
  /** Transactions of which nobody knows whether they were committed, and that may have been after their client had an error. */
  readonly unknownEnds: number
  /** Transactions that were rolled back since Valkey did not take their fence. */
  readonly refusedWrites: number
  readonly rolledBack: number
  /** Reads that gave an older row than promised, on the pod that wrote it or on any. */
  readonly staleReads: number
  /** Reads that gave an older row than one before them on the same pod. */
  readonly backInTime: number
  /** Rows that some pod reads wrongly when all is over. */
  readonly staleResidue: number
  /** Revisions whose commit was confirmed, and that the database does not have. */
  readonly lostWrites: number
  /** Of `staleReads`, those of the pod that had written the row. */
  readonly staleOwnReads: number
  /** Writes of which Valkey could not be told before they returned, and that were under no fence that was sure to stand. */
  readonly untoldWrites: number
  /** Reads of other pods that were behind such a write; that is no promise broken. */
  readonly behindUntold: number
  readonly longestBehindMs: number
  readonly evictedKeys: number
  readonly repeatedCommands: number
  readonly faults: Readonly<Record<string, number>>
  readonly byFault: Readonly<Record<string, ReadsDuring>>
  /** What pods counted: reads by layer and outcome, fills, errors. */
  readonly counts: Readonly<Record<string, number>>
  /** The first reads that broke a promise, and what befell meanwhile. */
  readonly violations: readonly (Violation & {
    readonly write: WriteOfPod | undefined
    readonly during: readonly Befallen[]
  })[]
}

export interface ChaosMeasurements extends PhaseMeasurements {
  readonly server: string
  readonly database: string
  readonly pods: number
  readonly rows: number
  readonly fenceMs: number
  readonly leaseMs: number
  /** The same in mode `'available'`: what is committed without a fence is promised to other pods when Valkey has been told. */
  readonly available: PhaseMeasurements
  /** With rows in the memory of the pods as well: other pods than the writer have three seconds to hear of a write. */
  readonly memory: PhaseMeasurements
  /** Why this is a failure; empty when it is none. */
  readonly problems: readonly string[]
}
