import type { ConsistencyOptions } from 'model-cache'
import type { LotAnswer, LotWrite, UnknownLotEnd } from '../lots/protocol.ts'
import type { LotCacheSettings } from '../lots/lookups.ts'
import type { Defect } from '../../defects.ts'
import type { WriteSteps } from './write-steps.ts'

/** Settings of a pod, as JSON in the variable CHAOS_POD. */
export interface PodSettings {
  /** Through the wires to Valkey. */
  readonly valkey: ValkeyAccess
  /** Through the wire to PostgreSQL. */
  readonly databaseUrl: string
  /** Not through a wire, for writes by hand: they have no fence, so nothing is promised if their end is unknown. */
  readonly directUrl: string
  readonly rows: number
  readonly fundraisers: number
  /** Empty for a worker, which only writes. */
  readonly caches: readonly CacheSettings[]
  /** Undefined for a worker. */
  readonly lots: LotCacheSettings | undefined
  /** Whether its caches have an L1. */
  readonly l1: boolean
  readonly seed: string
  /** Of its store, in a rehearsal. */
  readonly defect?: Defect
  readonly consistency: ConsistencyOptions
}

/** How a pod reaches Valkey. `natMap` has its wires by the addresses that the servers announce. */
export type ValkeyAccess =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'cluster'; readonly nodes: readonly Address[]; readonly natMap: NatMap }
  | {
      readonly kind: 'sentinel'
      readonly sentinels: readonly Address[]
      readonly name: string
      readonly natMap: NatMap
    }
export interface Address {
  readonly host: string
  readonly port: number
}
export type NatMap = Record<string, Address>

export interface CacheSettings {
  readonly name: CacheName
  /** Of its definition; it changes the fingerprint. */
  readonly version: string
  /** Number of buckets, which changes the layout of keys. */
  readonly buckets: number
}

/** Caches of the same rows. All pods except workers have the first; some have the second as well. */
export const cacheNames = ['FeatureFlags', 'FlagsOnceMore'] as const
export type CacheName = (typeof cacheNames)[number]

export type Order =
  /** Read and write at random. */
  | { readonly do: 'work' }
  /** Stop, and report when all work is done and the store has taken all invalidations. */
  | { readonly do: 'rest' }
  /** Report the revisions in each cache, and the answers of all lookups. */
  | { readonly do: 'readAll' }
  /** End by SIGKILL, at a point of the next write or at once. */
  | { readonly do: 'die'; readonly at: Death }
  /** Shut down gracefully. */
  | { readonly do: 'leave' }

export type Death = 'fenced' | 'committed' | 'anywhere'

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'wrote'; readonly write: Write }
  | { readonly kind: 'unknownEnd'; readonly write: UnknownEnd }
  | { readonly kind: 'wroteLots'; readonly write: LotWrite }
  | { readonly kind: 'unknownLotEnd'; readonly write: UnknownLotEnd }
  /** The store has taken all invalidations of this pod. */
  | { readonly kind: 'caughtUp'; readonly at: number }
  | {
      readonly kind: 'read'
      readonly reads: Float64Array
      readonly answers: readonly LotAnswer[]
      readonly counts: PodCounts
    }
  | { readonly kind: 'resting' }
  | {
      readonly kind: 'readAll'
      readonly revisions: readonly Revision[]
      readonly answers: readonly LotAnswer[]
    }

export type Revision = readonly [row: number, revision: number]

/** Numbers of one read in a {@link Report}: cache, as an index of {@link cacheNames}, row, revision, start, end. */
export const readStride = 5

/** A committed transaction. */
export interface Write extends WriteSteps {
  /** Rows with their new revisions. */
  readonly revisions: readonly Revision[]
}

/** A transaction or statement that may have been committed, or may be yet. */
export interface UnknownEnd extends WriteSteps {
  readonly rows: readonly number[]
  readonly releasedAt: number
}

/** Counts since the last report. */
export type PodCounts = Readonly<Record<string, number>>

/** Milliseconds of the machine's steady clock, with fractions; the same in all its processes. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6
