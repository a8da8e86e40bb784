import type { ConsistencyOptions } from 'model-cache'

/** What a pod is told when it starts, as JSON in the variable CHAOS_POD. */
export interface PodSettings {
  /** Of the wire to Valkey. */
  readonly valkeyUrl: string
  /** Of the wire to PostgreSQL. */
  readonly databaseUrl: string
  /** Past all wires, for writes by hand: those have no fence, so nothing is promised where their end is unknown. */
  readonly directUrl: string
  readonly rows: number
  /** None for a worker, which only writes. */
  readonly caches: readonly CacheSettings[]
  /** Whether it keeps rows in its memory as well. */
  readonly l1: boolean
  readonly seed: string
  readonly consistency: ConsistencyOptions
}

export interface CacheSettings {
  readonly name: CacheName
  /** Of its definition: another one has another fingerprint. */
  readonly version: string
  /** Another number is another layout of its keys. */
  readonly buckets: number
}

/** Caches of the same rows. All pods but workers have the first one, some have the second one as well. */
export const cacheNames = ['FeatureFlags', 'FlagsOnceMore'] as const
export type CacheName = (typeof cacheNames)[number]

export type Order =
  /** Read and write at random, until told otherwise. */
  | { readonly do: 'work' }
  /** Stop, and report when all that was begun is done and the store has been told of all writes. */
  | { readonly do: 'rest' }
  /** Report the revisions that each cache has. */
  | { readonly do: 'readAll' }
  /** End by SIGKILL, at a point of the next write or at once. */
  | { readonly do: 'die'; readonly at: Death }
  /** End as applications do when they are told to. */
  | { readonly do: 'leave' }

export type Death = 'fenced' | 'committed' | 'anywhere'

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'wrote'; readonly write: Write }
  | { readonly kind: 'unknownEnd'; readonly write: UnknownEnd }
  /** The store has been told of all writes of this pod by a moment. */
  | { readonly kind: 'caughtUp'; readonly at: number }
  | { readonly kind: 'read'; readonly reads: Float64Array; readonly counts: PodCounts }
  | { readonly kind: 'resting' }
  | { readonly kind: 'readAll'; readonly revisions: readonly Revision[] }

export type Revision = readonly [row: number, revision: number]

/** Numbers of one read in a {@link Report}: cache, as an index of {@link cacheNames}, row, revision, start, end. */
export const readStride = 5

/** The steps of a write. Times are those of {@link machineTime}. */
export interface WriteSteps {
  /** When the fence was asked for; undefined where none stands: written by hand, or committed without. */
  readonly fencedAt: number | undefined
  /** When the database had answered, or failed to. */
  readonly committedAt: number
  /** When the store was told, or the attempt was over; undefined of a pod that was killed before. */
  readonly settledAt: number | undefined
  /** Whether the store has taken it. */
  readonly isSettled: boolean
}

/** A transaction that was committed. */
export interface Write extends WriteSteps {
  /** Rows, and the revision that the write gave to each. */
  readonly revisions: readonly Revision[]
}

/** A transaction, or a single statement, that may have been committed, or may be yet. */
export interface UnknownEnd extends WriteSteps {
  readonly rows: readonly number[]
  readonly settledAt: number
}

/** What happened since the last report. */
export type PodCounts = Readonly<Record<string, number>>
