import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from '../store/store.js'
import { AnsweringCaches } from './answering-caches.js'
import type { FenceSet } from './fence-set.js'
import { KnownCaches } from './known-caches.js'
import { type LookupDescription, ownFieldsOf } from './lookup-description.js'
import { shieldLog } from './operator-log.js'
import { type ConsistencyOptions, consistencySettings } from './settings.js'
import { type ExistingCaches, ModelWriteUnit } from './write-unit.js'
import type { WrittenCache } from './written-cache.js'

/** A running transaction: reads go through its client, and its fences include manual invalidations. */
export interface TransactionScope {
  readonly fences: FenceSet
  /** The client of the transaction. */
  readonly client: object
  /** Whether its callback has ended, so that its client accepts no more queries. */
  readonly isOver: boolean
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
  /** What {@link #known} holds. */
  readonly #all: KnownCaches[] = []
  /** What planners ask for several times per write, by the caches of a model. */
  readonly #facts = new WeakMap<readonly WrittenCache[], PlanningFacts>()
  readonly #scopes = new AsyncLocalStorage<TransactionScope>()
  /** The caches of this process that can answer queries of an extended client. */
  readonly reads = new AnsweringCaches(() => this.current() !== undefined)
  readonly #caches: ExistingCaches = {
    all: () => this.#each(({ all }) => all),
    of: (model) => this.#each((known) => known.of(model)),
    ask: () =>
      this.#all.length === 1
        ? this.#all[0]!.ask()
        : Promise.all(this.#all.map((known) => known.ask())).then((asked) => asked.flat()),
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
      this.#all.push(known)
    }
    return known
  }

  /**
   * Resolves once the existing caches are known; undefined if they already are. Await it before planning a write.
   *
   * @throws FenceError in strict mode if the store does not answer
   */
  prepare(): Promise<void> | undefined {
    const unknown = this.#each((known) => (known.catalogue.isKnown ? [] : [known]))
    if (unknown.length === 0) return undefined
    return Promise.all(unknown.map((known) => known.ask())).then(() => {})
  }

  /** The id fields of each cache of a model, `[]` for a cache that depends on it; empty if no cache is affected. */
  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.#factsOf(model).idFields
  }

  /** The lookups of all caches of a model. */
  lookupsOf(model: string): readonly WatchedLookup[] {
    return this.#factsOf(model).lookups
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

  /**
   * Resolves once the fences of writes that have returned are released, for which these do not wait. From then on this process keeps the
   * written rows in memory again. For tests; readers need not wait.
   */
  async released(): Promise<void> {
    await Promise.all(this.#each(({ all }) => all).map(({ writes }) => writes.released()))
  }

  /** Call it when the process ends. Resolves once pending announcements of writes have succeeded or been given up. */
  async close(): Promise<void> {
    await Promise.all(this.#each((known) => [known.stop()]))
  }

  #factsOf(model: string): PlanningFacts {
    const caches = this.#caches.of(model)
    let facts = this.#facts.get(caches)
    if (!facts) {
      const lookups = caches.flatMap(({ lookups }) => lookups.map(watchedLookupOf))
      facts = { idFields: caches.map(({ idFields }) => idFields), lookups }
      this.#facts.set(caches, facts)
    }
    return facts
  }

  #each<T>(get: (known: KnownCaches) => readonly T[]): readonly T[] {
    // Nearly always there is one; its list needs no copy.
    return this.#all.length === 1 ? get(this.#all[0]!) : this.#all.flatMap(get)
  }
}

interface PlanningFacts {
  readonly idFields: readonly (readonly string[])[]
  readonly lookups: readonly WatchedLookup[]
}

/** A lookup as the port of the source describes it. */
interface WatchedLookup {
  readonly key: readonly string[] | undefined
  readonly fields: readonly string[] | undefined
  readonly through: string | undefined
}

function watchedLookupOf(lookup: LookupDescription): WatchedLookup {
  const { key, through } = lookup
  return { key: key?.map(({ name }) => name), fields: key && ownFieldsOf(lookup), through }
}
