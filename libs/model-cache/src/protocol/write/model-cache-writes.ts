import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../../source/database.js'
import { AtRest, type AtRestOptions } from '../at-rest/at-rest.js'
import type { Store } from '../backend/store.js'
import type { WatchedLookup, WriteCoordinator } from '../../source/write-coordinator.js'
import type { FenceSet } from './fence-set.js'
import { NamespaceCaches } from './namespace-caches.js'
import { otherWritesError } from '../../configuration-errors.js'
import { shieldLog } from '../operator-log.js'
import { type ConsistencyOptions, consistencySettings } from '../settings.js'
import type { WriterSchema } from '../../source/tables.js'
import { AffectedCaches, type WriterCaches } from './affected-caches.js'
import { FencedWriteUnit } from './fenced-write-unit.js'
import { StandbyFences, type StandbyReplay } from './standby-fences.js'
import type { QueryResults } from '../../source/query-results.js'
import type { AnsweringCache, ReadCaches } from '../../source/read-caches.js'

/** A running transaction: reads go through its client, and its fences include manual invalidations. */
export interface TransactionScope {
  readonly fences: FenceSet
  /** The client of the transaction. */
  readonly client: object
  /** Whether its callback has ended, so that its client accepts no more queries. */
  readonly isOver: boolean
}

/** A scope, and those around it: transactions of one coordinator may run within those of another. */
interface NestedScope extends TransactionScope {
  readonly coordinator: ModelCacheWrites
  readonly outer: NestedScope | undefined
}

/** The innermost transaction that the running code is part of. */
const scopes = new AsyncLocalStorage<NestedScope | undefined>()

/** Runs work that belongs to no transaction, although one of them may have caused it. */
export function outsideTransactions<T>(work: () => T): T {
  return scopes.getStore() === undefined ? work() : scopes.run(undefined, work)
}

export interface ModelCacheWritesOptions {
  /** The store of the caches to keep consistent, including caches of other processes: its catalogue lists them. */
  readonly store: Store
  /** The namespace of the caches. @default 'mc' */
  readonly namespace?: string
  readonly consistency?: ConsistencyOptions
  /** The keys of caches that are encrypted; see docs/recipes/personal-data.md. @default messages name rows in clear text */
  readonly atRest?: AtRestOptions
  /** Receives warnings for operators. @default no log */
  readonly warn?: (message: string) => void
  /** Receives notices that a warning no longer applies. @default no log */
  readonly info?: (message: string) => void
}

/**
 * Keeps caches consistent with writes through Prisma: `extendPrisma(client, writes)`. One instance serves all caches of an application;
 * Nest provides it under this class, and a `CacheRegistry` has one.
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
export class ModelCacheWrites implements WriteCoordinator {
  /** Undefined until a store is given, and once it has been closed, unless each write is refused then. */
  #namespaceCaches: NamespaceCaches | undefined
  /** For writers that name models and fields as the caches do. */
  readonly #affected = new AffectedCaches(() => this.#namespaceCaches)
  /** The caches of this process that can answer queries of an extended client. */
  readonly reads = new AnsweringCaches(() => this.current() !== undefined)

  /** The databases of extended clients. */
  readonly #databases = new Set<Database>()
  #standby: StandbyFences | undefined

  /** @throws ConfigurationError */
  constructor(options?: ModelCacheWritesOptions) {
    if (options) this.cachesIn(options)
  }

  /**
   * Returns the caches of the namespace of a store. Writes affect them from the first call on.
   *
   * @throws ConfigurationError if it has those of another namespace or store, which is open
   */
  cachesIn(
    options: Omit<ModelCacheWritesOptions, 'atRest'> & {
      readonly atRest?: AtRestOptions | AtRest | undefined
    },
  ): NamespaceCaches {
    const { atRest, consistency, info, namespace = 'mc', store, warn } = options
    if (this.#namespaceCaches?.isOf(store, namespace)) return this.#namespaceCaches
    this.#forgetClosed()
    if (this.#namespaceCaches) throw otherWritesError(namespace)
    const namespaceCaches = new NamespaceCaches({
      store,
      namespace,
      consistency: consistencySettings(consistency),
      log: shieldLog({ warn, info }),
      atRest: atRest instanceof AtRest ? atRest : atRest && AtRest.of(atRest),
    })
    for (const database of this.#databases) namespaceCaches.writer.add(database)
    return (this.#namespaceCaches = namespaceCaches)
  }

  /**
   * Resolves once the existing caches are known; undefined if they already are. Await it before planning a write. Forgets the caches of
   * a store that has been closed; in strict mode it keeps them, so that their fences refuse the write.
   *
   * @throws FenceError in strict mode if the store does not answer
   */
  prepare(): Promise<void> | undefined {
    if (!this.#namespaceCaches?.isStrict) this.#forgetClosed()
    const caches = this.#namespaceCaches
    return caches && !caches.catalogue.isKnown ? caches.ask().then(() => {}) : undefined
  }

  #forgetClosed(): void {
    if (!this.#namespaceCaches?.isClosed) return
    this.#namespaceCaches.forget()
    this.#namespaceCaches = undefined
  }

  /** The writes of a client with this schema: its models and fields may have other names than those of caches. */
  forSchema(schema: WriterSchema): ClientWrites {
    const caches = new AffectedCaches(() => this.#namespaceCaches, schema)
    return {
      reads: this.reads,
      prepare: () => this.prepare(),
      idFieldsOf: (model) => caches.by(model).idFields,
      lookupsOf: (model) => caches.by(model).lookups,
      begin: () => this.#begin(caches),
      within: (unit, client, work) => this.within(unit as FencedWriteUnit, client, work),
    }
  }

  /** The id fields of each cache of a model, `[]` for a cache that depends on it; empty if no cache is affected. */
  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.#affected.by(model).idFields
  }

  /** The lookups of all caches of a model. */
  lookupsOf(model: string): readonly WatchedLookup[] {
    return this.#affected.by(model).lookups
  }

  /** Called for each client that announces its writes here. */
  extended(database: Database): void {
    this.#databases.add(database)
    this.#namespaceCaches?.writer.add(database)
  }

  /** From now on, the fences of writes stand until the standby that rows are loaded from has these writes. */
  holdFor(replay: StandbyReplay): void {
    this.#standby ??= new StandbyFences(replay)
  }

  begin(): FencedWriteUnit {
    return this.#begin(this.#affected)
  }

  readonly #begin = (caches: WriterCaches): FencedWriteUnit =>
    new FencedWriteUnit(caches, 'client', this.#standby)

  /** Runs `work`. Cache reads within it go through `client`, and manual invalidations within it belong to the unit. */
  async within<T>({ fences }: FencedWriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    const scope = { fences, client, isOver: false, coordinator: this, outer: scopes.getStore() }
    try {
      return await scopes.run(scope, work)
    } finally {
      scope.isOver = true
    }
  }

  /** The transaction that the caller runs in. */
  current(): TransactionScope | undefined {
    let scope = scopes.getStore()
    while (scope && scope.coordinator !== this) scope = scope.outer
    // Work that was not awaited may outlive its transaction.
    return scope?.fences.isOver ? undefined : scope
  }

  /**
   * Resolves once the fences of all writes that have returned are released; the writes do not wait for that. From then on this
   * process keeps the written rows in L1 again. For tests; readers need not wait.
   */
  async released(): Promise<void> {
    await this.#standby?.ended()
    await Promise.all(this.#affected.all.map(({ fences }) => fences.released()))
  }

  /** Call it at shutdown. Resolves once pending announcements of writes have succeeded or been given up. */
  async close(): Promise<void> {
    await this.#standby?.stop()
    await this.#namespaceCaches?.stop()
  }
}

/** The writes of one client. */
interface ClientWrites extends Omit<WriteCoordinator, 'begin' | 'forSchema'> {
  begin(): FencedWriteUnit
}

/** The caches of this process that can answer queries of Prisma. */
export class AnsweringCaches implements ReadCaches {
  readonly #byName = new Map<string, AnsweringCache>()
  readonly #isInTransaction: () => boolean
  /** The results of the client of the caches; undefined until they are created, and after their end. */
  results: QueryResults | undefined
  #version = 0

  constructor(isInTransaction: () => boolean) {
    this.#isInTransaction = isInTransaction
  }

  /** Grows with each cache that is added or removed. */
  get version(): number {
    return this.#version
  }

  /** Whether the caller runs in a transaction. */
  get isInTransaction(): boolean {
    return this.#isInTransaction()
  }

  all(): Iterable<AnsweringCache> {
    return this.#byName.values()
  }

  /** Adds a cache, in place of an earlier one of its name. */
  add(cache: AnsweringCache): void {
    this.#byName.set(cache.name, cache)
    this.#version++
  }

  /** Removes a cache that has ended, unless another one has taken its place. */
  remove(cache: AnsweringCache): void {
    if (this.#byName.get(cache.name) !== cache) return
    this.#byName.delete(cache.name)
    this.#version++
  }
}
