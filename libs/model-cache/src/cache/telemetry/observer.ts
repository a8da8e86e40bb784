import { invalidOptionError } from '../../configuration-errors.js'
import type { WriteObserver } from '../../protocol/index.js'

/** Where a read was looked up: `tick` coalesces equal reads of one turn, `l1` is the memory of this process. */
export type Layer = 'tick' | 'l1' | 'store' | 'source'
/** `stale` is a row past its ttl (stale-while-revalidate, stale-if-error). `not_found`: the database has no row. */
export type ReadOutcome = 'coalesced' | 'hit' | 'miss' | 'stale' | 'not_found' | 'error'
/** Whether the rows of a tick were all in memory or in the store. */
export type TickOutcome = 'hit' | 'miss'
/** Why the store gave no row. `outdated` is an entry of a lookup with a row that has left it. */
export type MissReason =
  | 'outdated'
  | 'not_cached'
  | 'undecodable'
  | 'expired'
  | 'invalidated'
  | 'pending_invalidation'
  | 'long_id'
  | 'store_error'
  | 'transaction'
export type FillOutcome =
  | 'stored'
  | 'refused'
  | 'too_long'
  | 'too_many'
  | 'outdated'
  | 'lease_lost'
  | 'not_leased'
  | 'evicting'
  | 'store_error'
export type AuditOutcome = 'fresh' | 'stale' | 'changed' | 'failed'
/** Synchronous work on the event loop. `load` is the call of the source until it first waits. */
export type SyncOperation = 'decode' | 'encode' | 'copy' | 'load'
/** `timed_out`: the deadline has passed. The call counts once more when its source ends. */
export type LoadOutcome = 'loaded' | 'failed' | 'timed_out'
export type HotChange = 'promoted' | 'demoted'
export type InvalidationKind = 'ids' | 'all'

/** Why a stored value could not be opened; see `ValueForm`. */
export type UnopenedReason = 'unknown_key' | 'tampered' | 'damaged'

/**
 * Receives the events of one cache as they happen. Durations are seconds. Never receives ids, keys or rows. Later versions have more
 * events, and a cache is refused whose observer lacks one: begin with those of {@link silentObserver}, which has all of its version.
 *
 * @example
 * ```ts
 * const observer: CacheObserver = {
 *   ...silentObserver,
 *   forModel: (name, lookup) => ({ ...silentObserver.forModel(name, lookup), misses: (reason) => count(name, reason) }),
 * }
 * ```
 */
export interface ModelObserver extends WriteObserver {
  reads(layer: Layer, outcome: ReadOutcome, count: number): void
  /**
   * From the first request of a tick to the last row that is not coalesced with another load, for so many distinct ids. A `miss` is a tick
   * that had to load one of them.
   */
  readSeconds(seconds: number, ids: number, outcome: TickOutcome): void
  /** One call of the source, for so many ids. */
  load(outcome: LoadOutcome, seconds: number, ids: number): void
  /** Invalidated ids, or 1 for everything. */
  invalidations(kind: InvalidationKind, count: number): void
  /** Work of one turn of the event loop. */
  syncSeconds(operation: SyncOperation, seconds: number): void
  /** Size of one stored value. */
  payloadBytes(bytes: number): void
  /** Encrypted or compressed values that could not be opened, rows and entries alike. */
  unopenedValues(reason: UnopenedReason, count: number): void
  /** Bytes of values that were written compressed: what their payloads had before it, and what they have in the store. */
  compressedBytes(stage: 'before' | 'after', bytes: number): void
  /** Distinct keys of one tick. */
  batchKeys(keys: number): void
  /** Rows or entries of `largePayloadBytes` or more, read or written. */
  largePayloads(count: number): void
  /** Rows that L1 keeps because they are read often became so, or ceased to be, within a second. */
  hotIds(change: HotChange, count: number): void
  /** Rows or entries that L1 dropped before their time, as there were more than `maxEntries` or `maxBytes`. */
  l1Evictions(count: number): void
  misses(reason: MissReason, count: number): void
  fills(outcome: FillOutcome, count: number): void
  /** The schema is new among running processes: no rows are stored for a while. */
  newSchemas(count: number): void
  /** A write whose rows are unknown invalidated the whole model. `reason` is one of a few fixed words. */
  unknownWrites(reason: string): void
  /** A stored row was compared with the source. `changed`: it was written meanwhile, so the comparison says nothing. */
  audits(outcome: AuditOutcome): void
  /** Queries of Prisma that the cache answered, or did not for the reason that `outcome` names. One of a few fixed words. */
  prismaReads(outcome: string, count: number): void
  /** A query of Prisma was compared with the cache, in shadow mode. `outcome` is one of a few fixed words. */
  prismaShadow(outcome: string): void
}

export interface CacheObserver {
  /**
   * Called once per model and lookup, at registration. `lookup` is undefined for the rows themselves. The observer of a lookup counts
   * entries where that of the rows counts rows, and keys instead of ids; writes are counted by that of the rows.
   */
  forModel(name: string, lookup?: string): ModelObserver
  /** The store, or a node of it, became available or unavailable for reads or writes. */
  storeChanged(side: 'reads' | 'writes', state: 'up' | 'down', reason: string): void
  /** Keys of the cache held another type than a string, and were removed or replaced. */
  foreignKeys?(count: number): void
}

const nothing = (): void => {}

const silentModel: ModelObserver = {
  reads: nothing,
  readSeconds: nothing,
  load: nothing,
  invalidations: nothing,
  syncSeconds: nothing,
  payloadBytes: nothing,
  unopenedValues: nothing,
  compressedBytes: nothing,
  batchKeys: nothing,
  largePayloads: nothing,
  hotIds: nothing,
  l1Evictions: nothing,
  misses: nothing,
  fills: nothing,
  newSchemas: nothing,
  unknownWrites: nothing,
  audits: nothing,
  prismaReads: nothing,
  prismaShadow: nothing,
  fences: nothing,
  fenceSeconds: nothing,
  slowCommits: nothing,
}

/** The names of all methods of a {@link ModelObserver}. */
export const observedEvents = Object.keys(silentModel) as readonly (keyof ModelObserver)[]

/** Returns which of its events an observer lacks, which may be none of an object. */
export function missingEvents(observer: unknown, events: readonly string[]): readonly string[] {
  const methods = Object(observer) as Record<string, unknown>
  return events.filter((event) => typeof methods[event] !== 'function')
}

/** @throws ConfigurationError unless the observer of a model, or of one of its lookups, has all events */
export function verifyEvents(observer: ModelObserver, name: string, lookup?: string): void {
  const missing = missingEvents(observer, observedEvents)
  if (missing.length === 0) return
  const asked = [name, lookup].flatMap((part) => (part === undefined ? [] : `'${part}'`)).join(', ')
  throw invalidOptionError(
    'observer',
    observer,
    `an observer with all events of ModelObserver, and what forModel(${asked}) returns lacks ${missing.join(', ')}. Begin with ` +
      '`...silentObserver.forModel(name, lookup)` of model-cache/advanced, which has those of later versions as well',
  )
}

/** Observes nothing. */
export const silentObserver: CacheObserver = {
  forModel: () => ({ ...silentModel }),
  storeChanged: nothing,
}
