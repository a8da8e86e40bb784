import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from '../store/store.js'
import { AnsweringCaches } from './answering-caches.js'
import { FenceSet } from './fence-set.js'
import { KnownCaches } from './known-caches.js'
import type { LookupDescription } from './lookup-description.js'
import { entryIdOf, lookupKeyOf } from './lookup-key.js'
import type { ModelWrites } from './model-writes.js'
import { shieldLog } from './operator-log.js'
import { type ConsistencyOptions, consistencySettings } from './settings.js'
import type { WrittenCache } from './written-cache.js'

/** A running transaction: reads go through its client, and its fences include manual invalidations. */
export interface TransactionScope {
  readonly fences: FenceSet
  /** The client of the transaction. */
  readonly client: object
  /** Whether its callback has ended, so that its client accepts no more queries. */
  readonly isOver: boolean
}

/** The `WriteUnit` of the source's write capture: maps models and rows to caches and row ids. */
class ModelWriteUnit {
  readonly fences = new FenceSet()
  readonly #caches: ExistingCaches
  /** The caches that were known throughout the write. The rows of others were not identified. */
  #known: ReadonlySet<WrittenCache>
  #knownOf: readonly WrittenCache[]
  /** The namespaces whose store did not say whether there are other caches. */
  #unanswered: readonly KnownCaches[] = []
  #hasWritten = false

  constructor(caches: ExistingCaches) {
    this.#caches = caches
    this.#knownOf = caches.all()
    this.#known = new Set(this.#knownOf)
  }

  get isFenced(): boolean {
    return this.fences.isFenced
  }

  markWritten(model: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
    this.#noteKnown()
    for (const cache of this.#caches.of(model)) {
      const { idFields, rowIdOf, writes } = cache
      const identified = rows.filter((row) => idFields.every((field) => row[field] !== undefined))
      if (idFields.length === 0) this.#markAllWritten(cache, 'dependency')
      else {
        try {
          this.fences.markWritten(writes, identified.map(rowIdOf))
        } catch {
          // The ids are not of the kind that the cache expects.
          this.#markAllWritten(cache, 'unknown')
        }
      }
    }
  }

  markAllWritten(model: string, reason: string): void {
    this.#noteKnown()
    for (const cache of this.#caches.of(model)) this.#markAllWritten(cache, reason)
  }

  /** Drops the negative entries of the model. */
  markCreated(model: string, reason: string): void {
    this.#noteKnown()
    for (const cache of this.#caches.of(model)) {
      if (cache.idFields.length === 0) this.#markAllWritten(cache, reason)
      else this.fences.markAllWritten(cache.writes, 'membership')
    }
  }

  /** Fences the entries of lookups that the rows enter, or all entries of a cache that has no key for one of them. */
  markEntered(
    model: string,
    rows: readonly Readonly<Record<string, unknown>>[],
    changed?: ReadonlySet<string>,
  ): void {
    this.#noteKnown()
    for (const { lookups, writes } of this.#caches.of(model)) {
      for (const lookup of lookups) {
        if (!mayEnter(lookup, changed)) continue
        // The row does not show what it is connected to.
        if (lookup.through !== undefined) this.fences.markAllWritten(writes, 'membership')
        else this.#markEntries(writes, lookup, rows)
      }
    }
  }

  /** Fences the entries of rows at the other side of a relation, or all entries of a cache that has no key for one of them. */
  markEnteredThrough(
    model: string,
    relation: string,
    rows: readonly Readonly<Record<string, unknown>>[],
  ): void {
    this.#noteKnown()
    for (const { lookups, writes } of this.#caches.of(model)) {
      for (const lookup of lookups) {
        if (!lookup.key || lookup.through === relation) this.#markEntries(writes, lookup, rows)
      }
    }
  }

  noteWrite(): void {
    this.#hasWritten = true
  }

  /** Fences the affected rows, and all rows of caches that were described since the write began. */
  async fence(): Promise<void> {
    // A transaction that only reads does not need the store.
    if (!this.#hasWritten && this.fences.isEmpty) return
    const [fenced, asked] = await Promise.allSettled([this.fences.fence(), this.#caches.ask()])
    if (fenced.status === 'rejected') throw fenced.reason
    if (asked.status === 'rejected') throw asked.reason
    this.#unanswered = asked.value
    const added = this.#caches.all().filter((cache) => !this.#known.has(cache))
    for (const cache of added) this.#markAllWritten(cache, 'unknown')
    if (added.length > 0) await this.fences.fence()
  }

  async end(end: 'known' | 'unknown' = 'known'): Promise<void> {
    await this.fences.end(end)
    for (const known of this.#unanswered) known.catchUp(this.#known, end)
  }

  /** A cache that is missing from the list, because the catalogue was lost, counts as new when it is listed again. */
  #noteKnown(): void {
    this.#hasWritten = true
    const all = this.#caches.all()
    if (all === this.#knownOf) return
    this.#knownOf = all
    this.#known = new Set(all.filter((cache) => this.#known.has(cache)))
  }

  #markEntries(
    writes: ModelWrites,
    { key: fields, name }: LookupDescription,
    rows: readonly Readonly<Record<string, unknown>>[],
  ): void {
    const keys = rows.map((row) => fields && lookupKeyOf(fields, row))
    if (!keys.every((key) => key !== undefined)) return void this.fences.markAllWritten(writes, 'membership')
    const held = keys.filter((key) => key !== null)
    this.fences.markWritten(
      writes,
      held.map((key) => entryIdOf(name, key)),
    )
  }

  #markAllWritten({ onAllWritten, writes }: WrittenCache, reason: string): void {
    if (this.fences.markAllWritten(writes, 'all')) onAllWritten(reason)
  }
}

/** Whether a write that changes these fields may let a row enter an entry of the lookup, or move in it. */
function mayEnter(lookup: LookupDescription, changed: ReadonlySet<string> | undefined): boolean {
  if (!lookup.key) return true
  // A new row is connected to no other row yet.
  if (!changed) return lookup.through === undefined
  return fieldsOf(lookup).some((field) => changed.has(field))
}

/** The fields of a row whose change may let it enter an entry of the lookup, or move in it. */
function fieldsOf({ key = [], through, watched }: LookupDescription): readonly string[] {
  return through === undefined ? [...new Set([...key.map(({ name }) => name), ...watched])] : watched
}

/** The existing caches, as one write sees them. */
interface ExistingCaches {
  all(): readonly WrittenCache[]
  of(model: string): readonly WrittenCache[]
  /** Checks whether there are others. @returns the namespaces whose store did not answer */
  ask(): Promise<readonly KnownCaches[]>
}

export interface ModelCacheWritesOptions {
  /** The store of the caches to keep consistent, including caches of other processes: its catalogue lists them. */
  readonly store: Store
  /** The namespace of the caches. @default 'mc' */
  readonly namespace?: string
  readonly consistency?: ConsistencyOptions
  /** Receives warnings for operators. @default no log */
  readonly warn?: (message: string) => void
  /** Receives notices that a warning no longer applies. @default no log */
  readonly info?: (message: string) => void
}

/**
 * Keeps caches consistent with writes through Prisma: `extendPrisma(client, writes)`. One instance serves all caches of an application;
 * Nest provides it under this class.
 *
 * It finds the caches in the store's catalogue. So a process without caches, such as a worker or a script, needs only
 * the store, connected before the first write, and the namespace.
 *
 * @example
 * ```ts
 * const store = new ValkeyStore({ url: process.env.VALKEY_URL! })
 * await store.connect()
 * const prisma = extendPrisma(new PrismaClient({ adapter }), new ModelCacheWrites({ store, namespace: 'shop' }))
 * ```
 */
export class ModelCacheWrites {
  readonly #known = new Map<Store, Map<string, KnownCaches>>()
  readonly #scopes = new AsyncLocalStorage<TransactionScope>()
  /** The caches of this process that can answer queries of an extended client. */
  readonly reads = new AnsweringCaches(() => this.current() !== undefined)
  readonly #caches: ExistingCaches = {
    all: () => this.#each(({ all }) => all),
    of: (model) => this.#each((known) => known.of(model)),
    ask: async () => {
      const asked = this.#each((known) => [known.ask().then((isAnswered) => (isAnswered ? [] : [known]))])
      return (await Promise.all(asked)).flat()
    },
  }

  /** @throws InvalidOptionError */
  constructor(options?: ModelCacheWritesOptions) {
    if (options) this.knownIn(options)
  }

  /** Returns the caches of a namespace of a store. From now on, writes affect them as well. */
  knownIn({ store, namespace = 'mc', consistency, warn, info }: ModelCacheWritesOptions): KnownCaches {
    const namespaces = this.#known.get(store) ?? new Map<string, KnownCaches>()
    this.#known.set(store, namespaces)
    let known = namespaces.get(namespace)
    if (!known) {
      const settings = consistencySettings(consistency)
      known = new KnownCaches({ store, namespace, consistency: settings, log: shieldLog({ warn, info }) })
      namespaces.set(namespace, known)
    }
    return known
  }

  /**
   * Resolves once the existing caches are known; undefined if they already are. Await it before planning a write.
   *
   * @throws FenceError in strict mode if the store does not answer
   */
  prepare(): Promise<void> | undefined {
    const unknown = this.#each((known) => (known.catalogue.isKnown ? none : [known]))
    if (unknown.length === 0) return undefined
    return Promise.all(unknown.map((known) => known.ask())).then(() => {})
  }

  /** The id fields of each cache of a model, `[]` for a cache that depends on it; empty if no cache is affected. */
  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.#caches.of(model).map(({ idFields }) => idFields)
  }

  /** The lookups of all caches of a model. */
  lookupsOf(model: string): readonly WatchedLookup[] {
    return this.#caches.of(model).flatMap(({ lookups }) => lookups.map(watchedLookupOf))
  }

  begin(): ModelWriteUnit {
    return new ModelWriteUnit(this.#caches)
  }

  /** Runs `work`. Cache reads within it go through `client`, and manual invalidations within it belong to the unit. */
  async within<T>({ fences }: ModelWriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    const scope = { fences, client, isOver: false }
    try {
      return await this.#scopes.run(scope, work)
    } finally {
      scope.isOver = true
    }
  }

  /** The transaction that the caller runs in. */
  current(): TransactionScope | undefined {
    const scope = this.#scopes.getStore()
    // Work that was not awaited may outlive its transaction.
    return scope?.fences.isOver ? undefined : scope
  }

  /** Call it when the process ends. Resolves once pending announcements of writes have succeeded or been given up. */
  async close(): Promise<void> {
    await Promise.all(this.#each((known) => [known.stop()]))
  }

  #each<T>(get: (known: KnownCaches) => readonly T[]): readonly T[] {
    const all = [...this.#known.values()].flatMap((namespaces) => [...namespaces.values()])
    // Nearly always there is one; its list needs no copy.
    return all.length === 1 ? get(all[0]!) : all.flatMap(get)
  }
}

const none: readonly never[] = []

/** A lookup as the port of the source describes it. */
interface WatchedLookup {
  readonly key: readonly string[] | undefined
  readonly fields: readonly string[] | undefined
  readonly through: string | undefined
}

function watchedLookupOf(lookup: LookupDescription): WatchedLookup {
  const { key, through } = lookup
  return { key: key?.map(({ name }) => name), fields: key && fieldsOf(lookup), through }
}
