import type { Pressure, Slicer } from '@model-cache/event-loop/internal'
import type { Codec } from '../codec/codec.js'
import type {
  EpochRegister,
  KeySpace,
  Leases,
  OperatorLog,
  PendingRows,
  RowId,
  Store,
} from '../protocol/index.js'
import type { Source } from '../source/source.js'
import type { InFlight } from './in-flight.js'
import type { InvalidationTime } from './invalidation-clock.js'
import type { CachePermits } from './load/load-permits.js'
import type { NotFoundBudgets } from './load/not-found-budget.js'
import type { Tick } from './read/tick.js'
import type { History } from './telemetry/history.js'
import type { LargePayloads } from './telemetry/large-payloads.js'
import type { ModelObserver } from './telemetry/observer.js'

/** The functions of a codec that reads and loads need. */
export interface RowCodec<Row> extends Pick<
  Codec<Row>,
  'fingerprint' | 'encode' | 'decodeUtf8' | 'clone' | 'cloneMany' | 'freeze' | 'normalize'
> {
  /** Returns what payloads share that stand for the same row. @default the payload */
  readonly comparable?: (payload: string) => string
}

/** What the parts of a cache work with. A lookup has a context of its own, as its entries are a model of their own. */
export interface CacheContext<Row, Id> {
  readonly model: ModelContext<Row, Id>
  readonly policy: CachePolicy
  readonly runtime: Runtime
  readonly coherence: Coherence
  readonly telemetry: Telemetry<Id>
}

/**
 * One model: what its cache is called, and how its rows are named, serialized, stored and loaded. The entries of a lookup are rows of a
 * model of their own, with their keys as ids.
 */
export interface ModelContext<Row, Id> {
  readonly name: string
  readonly codec: RowCodec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly store: RowStore
  readonly source: Source<Row, Id>
  /** Whether values are encrypted: one that is kept for longer than it lives was put back by somebody. @default the store forgets it */
  readonly isEncrypted?: boolean | undefined
  /** Whether a row stands for none, as the entry of an empty list does. @default no row does */
  readonly isNothing?: (row: Row) => boolean
  /** Whether a loaded row may be stored: a list may be too long. @default each row may */
  readonly mayStore?: (row: Row) => boolean
}

/** What reads and loads need of the store: values as the codec writes them. */
export type RowStore = Pick<Store, 'shardOf' | 'getMany' | 'getManyBytes' | 'fillMany'>

/** How long rows are kept, and whether callers share them. Durations are milliseconds; 0 switches off what they bound. */
export interface CachePolicy {
  readonly ttlMs: number
  /** TTL of negative entries. */
  readonly notFoundTtlMs: number
  /** How long before its expiry a row that is read is loaded again. */
  readonly refreshAheadMs: number
  /** How long after its expiry a row may be served while it is loaded again, or when its source fails. */
  readonly staleForMs: number
  /** How long a read waits for the load of another process. */
  readonly leaseWaitMs: number
  /** Whether all callers get one frozen row. */
  readonly sharesRows: boolean
}

/** When work runs, and how much of it at once. Tick, slicer and pressure are shared by the caches of a process. */
export interface Runtime {
  readonly tick: Tick
  readonly slicer: Slicer
  /** The permits of this cache; caches that share a bound have permits of their own. */
  readonly permits: CachePermits
  readonly pressure: Pressure
  readonly notFound: NotFoundBudgets
  /** Work of this cache that the end of the process waits for. */
  readonly inFlight: InFlight
}

/** What reads need of the register of a model. */
export type RegisterReads = Pick<
  EpochRegister,
  'read' | 'readForLoaded' | 'fingerprints' | 'joiningForMs' | 'losses'
>

/** What tells whether a row may be used and stored. */
export interface Coherence {
  readonly register: RegisterReads
  readonly leases: Leases
  readonly clock: InvalidationTime
  /** Rows whose invalidation has not reached the store: they are read from the source, and not stored. */
  readonly pending: PendingRows
  /** How writes of other processes are heard; undefined where the store has one process. */
  readonly backplane: { readonly isUp: boolean; start(): void } | undefined
}

/** What operators get to see. */
export interface Telemetry<Id> {
  readonly observer: ModelObserver
  readonly history: History
  readonly largePayloads: LargePayloads
  /** Samples hits of the store; undefined without an audit. */
  readonly auditor: HitSampler<Id> | undefined
  readonly log: OperatorLog
}

/** A row that the store had. */
export interface Hit<Id> {
  readonly id: Id
  readonly rowId: RowId
  readonly key: string
}

/** Sees every hit of the store. */
export interface HitSampler<Id> {
  /** @param payloadStart where the payload begins in the stored bytes */
  hit(read: Hit<Id>, bytes: Buffer, payloadStart: number): void
  /** Gives up what it has sampled. */
  stop(): void
}
