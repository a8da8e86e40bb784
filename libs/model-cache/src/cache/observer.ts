import type { WriteObserver } from '../consistency/model-writes.js'

/** Which part of the cache a read was looked up in. `tick` joins equal reads of one turn, `l1` is this process's memory. */
export type Layer = 'tick' | 'l1' | 'store' | 'source'
/** `grace` is a row whose time is over, given as there was no other. */
export type ReadOutcome = 'coalesced' | 'hit' | 'miss' | 'stale' | 'not_found' | 'error'
/** Why the store had no row to give. */
export type MissReason =
  | 'not_cached'
  | 'undecodable'
  | 'expired'
  | 'invalidated'
  | 'pending_invalidation'
  | 'store_error'
  | 'transaction'
export type FillOutcome =
  'stored' | 'refused' | 'outdated' | 'lease_lost' | 'not_leased' | 'evicting' | 'store_error'
export type AuditOutcome = 'fresh' | 'stale' | 'changed' | 'failed'
/** Synchronous work on the event loop; of a load, the call of the source until it waits. */
export type SyncOperation = 'decode' | 'encode' | 'copy' | 'load'
export type LoadOutcome = 'loaded' | 'failed'
export type InvalidationKind = 'ids' | 'all'

/** What one cache tells of itself, as it happens. Durations are seconds. Never called with ids, keys or rows. */
export interface ModelObserver extends WriteObserver {
  reads(layer: Layer, outcome: ReadOutcome, count: number): void
  /** From the first `get` of a tick to the last answer that is not another load's; of so many distinct ids. */
  readSeconds(seconds: number, ids: number): void
  /** One call of the source, for so many ids. */
  load(outcome: LoadOutcome, seconds: number, ids: number): void
  /** What was asked to be invalidated: so many ids, or everything, which counts as 1. */
  invalidations(kind: InvalidationKind, count: number): void
  /** Work of one turn of the event loop. */
  syncSeconds(operation: SyncOperation, seconds: number): void
  /** Size of one stored value. */
  payloadBytes(bytes: number): void
  /** Distinct keys of one turn. */
  batchKeys(keys: number): void
  /** Rows of so many characters that one alone is a burden, read or written. */
  largePayloads(count: number): void
  misses(reason: MissReason, count: number): void
  fills(outcome: FillOutcome, count: number): void
  /** The schema is new among running processes: no rows are stored for a while. */
  newSchemas(count: number): void
  /** A write to rows that could not be told, so that all of the model were invalidated; `reason` is a fixed word. */
  unknownWrites(reason: string): void
  /** A stored row was compared with the source: `changed` says that it was written meanwhile, so that nothing can be said. */
  audits(outcome: AuditOutcome): void
}

export interface CacheObserver {
  /** Called once per model, at registration. */
  forModel(name: string): ModelObserver
  /** The store, or a node of it, has stopped to serve reads or writes, or serves them again. */
  storeChanged(side: 'reads' | 'writes', state: 'up' | 'down', reason: string): void
  /** Keys of the cache held another type than text, and have been removed or replaced. */
  foreignKeys?(count: number): void
}

const nothing = (): void => {}

/** Observes nothing. */
export const silentObserver: CacheObserver = {
  forModel: () => ({
    reads: nothing,
    readSeconds: nothing,
    load: nothing,
    invalidations: nothing,
    syncSeconds: nothing,
    payloadBytes: nothing,
    batchKeys: nothing,
    largePayloads: nothing,
    misses: nothing,
    fills: nothing,
    newSchemas: nothing,
    unknownWrites: nothing,
    audits: nothing,
    fences: nothing,
    fenceSeconds: nothing,
    slowCommits: nothing,
  }),
  storeChanged: nothing,
}
