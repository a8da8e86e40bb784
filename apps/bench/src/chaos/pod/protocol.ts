import type { ConsistencyOptions } from 'model-cache'

/** What a pod is told when it starts, as JSON in the variable CHAOS_POD. */
export interface PodSettings {
  /** Of the wire to Valkey. */
  readonly valkeyUrl: string
  readonly databaseUrl: string
  readonly rows: number
  /** Of its definition: another one has another fingerprint. */
  readonly version: string
  /** Whether it keeps rows in its memory as well. */
  readonly l1: boolean
  readonly seed: string
  readonly consistency: ConsistencyOptions
}

export type Order =
  /** Read and write at random, until told otherwise. */
  | { readonly do: 'work' }
  /** Stop, and report when all that was begun is done and the store has been told of all writes. */
  | { readonly do: 'rest' }
  /** Report each row's revision, as the cache has it. */
  | { readonly do: 'readAll' }
  /** End by SIGKILL, at a point of the next write or at once. */
  | { readonly do: 'die'; readonly at: Death }
  /** End as applications do when they are told to. */
  | { readonly do: 'leave' }

export type Death = 'fenced' | 'committed' | 'anywhere'

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'wrote'; readonly write: Write }
  /** The store has been told of all writes of this pod by a moment. */
  | { readonly kind: 'caughtUp'; readonly at: number }
  | { readonly kind: 'read'; readonly reads: Float64Array; readonly counts: PodCounts }
  | { readonly kind: 'resting' }
  | { readonly kind: 'readAll'; readonly revisions: readonly number[] }

/** Numbers of one read in a {@link Report}: row, revision, start, end. */
export const readStride = 4

/** A transaction that was committed. Times are those of {@link machineTime}. */
export interface Write {
  /** Rows, and the revision that the write gave to each. */
  readonly revisions: readonly (readonly [row: number, revision: number])[]
  /** When the fence was asked for; undefined where none stands: written by hand, or committed without. */
  readonly fencedAt: number | undefined
  /** When the database had answered. */
  readonly committedAt: number
  /** When the store was told, or the attempt was over; undefined of a pod that was killed before. */
  readonly settledAt: number | undefined
  /** Whether the store has taken it. */
  readonly isSettled: boolean
}

/** What happened since the last report. */
export type PodCounts = Readonly<Record<string, number>>
