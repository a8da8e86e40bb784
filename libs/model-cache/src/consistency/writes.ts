import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from '../store/store.js'
import { KnownCaches } from './known-caches.js'
import { shieldLog } from './operator-log.js'
import { type ConsistencyOptions, consistencySettings } from './settings.js'
import { WriteUnit } from './write-unit.js'
import type { WrittenCache } from './written-cache.js'

/** Where a transaction is at work: reads go to it, and what is invalidated is fenced and ended with it. */
export interface TransactionScope {
  readonly unit: WriteUnit
  /** The client of the transaction. */
  readonly client: object
  /** Whether its callback has ended: its client takes no more queries. */
  readonly isOver: boolean
}

/** One write, as the Prisma extension speaks of it: in models and rows. */
class ModelWriteUnit {
  readonly unit = new WriteUnit()
  readonly #caches: CachesOfWriters
  /** Those that have been known all the time since it began: the rows of others were not identified. */
  #known: ReadonlySet<WrittenCache>
  #knownOf: readonly WrittenCache[]
  /** Where the store did not say whether there are others. */
  #unanswered: readonly KnownCaches[] = []
  #hasWritten = false

  constructor(caches: CachesOfWriters) {
    this.#caches = caches
    this.#knownOf = caches.all()
    this.#known = new Set(this.#knownOf)
  }

  get isFenced(): boolean {
    return this.unit.isFenced
  }

  markWritten(model: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
    this.#noteTouch()
    for (const cache of this.#caches.of(model)) {
      const { idFields, rowIdOf, writes } = cache
      const identified = rows.filter((row) => idFields.every((field) => row[field] !== undefined))
      if (idFields.length === 0) this.#markAllWritten(cache, 'dependency')
      else {
        try {
          this.unit.markWritten(writes, identified.map(rowIdOf))
        } catch {
          // Ids of another kind than the cache expects.
          this.#markAllWritten(cache, 'unknown')
        }
      }
    }
  }

  markAllWritten(model: string, reason: string): void {
    this.#noteTouch()
    for (const cache of this.#caches.of(model)) this.#markAllWritten(cache, reason)
  }

  /** Rows are created whose ids are not known: what is stored about rows that are not there is dropped. */
  markCreated(model: string, reason: string): void {
    this.#noteTouch()
    for (const cache of this.#caches.of(model)) {
      if (cache.idFields.length === 0) this.#markAllWritten(cache, reason)
      else this.unit.markAllWritten(cache.writes, 'membership')
    }
  }

  noteWrite(): void {
    this.#hasWritten = true
  }

  /** Fences what has been touched, and caches that have been described since the write began. */
  async fence(): Promise<void> {
    // A transaction that only reads needs no store.
    if (!this.#hasWritten && this.unit.isEmpty) return
    const [fenced, asked] = await Promise.allSettled([this.unit.fence(), this.#caches.ask()])
    if (fenced.status === 'rejected') throw fenced.reason
    if (asked.status === 'rejected') throw asked.reason
    this.#unanswered = asked.value
    const added = this.#caches.all().filter((cache) => !this.#known.has(cache))
    for (const cache of added) this.#markAllWritten(cache, 'unknown')
    if (added.length > 0) await this.unit.fence()
  }

  async end(end: 'known' | 'unknown' = 'known'): Promise<void> {
    await this.unit.end(end)
    for (const known of this.#unanswered) known.catchUp(this.#known, end)
  }

  /** A cache that is missing from the list just now, as the catalogue was lost, is a later one when it is there again. */
  #noteTouch(): void {
    this.#hasWritten = true
    const all = this.#caches.all()
    if (all === this.#knownOf) return
    this.#knownOf = all
    this.#known = new Set(all.filter((cache) => this.#known.has(cache)))
  }

  #markAllWritten({ onAllWritten, writes }: WrittenCache, reason: string): void {
    if (this.unit.markAllWritten(writes, 'all')) onAllWritten(reason)
  }
}

/** The caches that there are, as one write sees them. */
interface CachesOfWriters {
  all(): readonly WrittenCache[]
  of(model: string): readonly WrittenCache[]
  /** Finds out whether there are others. @returns where it could not be found out */
  ask(): Promise<readonly KnownCaches[]>
}

export interface ModelCacheWritesOptions {
  /** Where the caches are that hear of writes: also those of other processes, which the catalogue in the store lists. */
  readonly store: Store
  /** As the caches have it. @default 'mc' */
  readonly namespace?: string
  readonly consistency?: ConsistencyOptions
  /** Receives what an operator should know. @default no log */
  readonly warn?: (message: string) => void
  readonly info?: (message: string) => void
}

/**
 * What is written through Prisma reaches the caches here: `extendPrisma(client, writes)`. One for all caches of an application;
 * with Nest it is provided under this class.
 *
 * Caches are found in the catalogue of the store, so a process that has none of its own, such as a worker or a script, needs just
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
  readonly #caches: CachesOfWriters = {
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

  /** The caches of a namespace of a store; from now on what is written is looked up there as well. */
  knownIn({ store, namespace = 'mc', consistency, warn, info }: ModelCacheWritesOptions): KnownCaches {
    const namespaces = this.#known.get(store) ?? new Map<string, KnownCaches>()
    this.#known.set(store, namespaces)
    let known = namespaces.get(namespace)
    if (!known) {
      const settings = consistencySettings(consistency)
      known = new KnownCaches({ store, namespace, consistency: settings, ...shieldLog({ warn, info }) })
      namespaces.set(namespace, known)
    }
    return known
  }

  /**
   * Resolves when it is known which caches there are, undefined when it is already. To be awaited before a write is planned.
   *
   * @throws FenceError in strict mode, when the store does not answer
   */
  prepare(): Promise<void> | undefined {
    const unknown = this.#each((known) => (known.catalogue.isKnown ? none : [known]))
    if (unknown.length === 0) return undefined
    return Promise.all(unknown.map((known) => known.ask())).then(() => {})
  }

  /** The id fields of each cache of a model, none for one that depends on it; empty when no cache is concerned. */
  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.#caches.of(model).map(({ idFields }) => idFields)
  }

  begin(): ModelWriteUnit {
    return new ModelWriteUnit(this.#caches)
  }

  /** Runs `work` so that reads of caches within it go to `client`, and what is invalidated within it belongs to the unit. */
  async within<T>({ unit }: ModelWriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    const scope = { unit, client, isOver: false }
    try {
      return await this.#scopes.run(scope, work)
    } finally {
      scope.isOver = true
    }
  }

  /** The transaction that the caller is in. */
  current(): TransactionScope | undefined {
    const scope = this.#scopes.getStore()
    // Work that nobody waited for may outlive its transaction.
    return scope?.unit.isOver ? undefined : scope
  }

  /** For the end of the process: resolves when writes that could not be announced have been, or cannot be. */
  async close(): Promise<void> {
    await Promise.all(this.#each((known) => [known.stop()]))
  }

  #each<T>(get: (known: KnownCaches) => readonly T[]): readonly T[] {
    const all = [...this.#known.values()].flatMap((namespaces) => [...namespaces.values()])
    // Nearly always there is one, whose list is taken as it is.
    return all.length === 1 ? get(all[0]!) : all.flatMap(get)
  }
}

const none: readonly never[] = []
