import { type Pressure, registerPackage, Slicer, verifyPackages } from '@model-cache/event-loop/internal'
import type { FollowState } from '../cache/gap.js'
import { waitToClose } from '../cache/in-flight.js'
import { createLoadPermits, type LoadPermits } from '../cache/load/load-permits.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { CacheSettingsOptions } from '../cache/policy/cache-settings.js'
import type { AnyModelCacheDefinition, ModelCacheDefinition } from '../cache/policy/definition.js'
import type { LookupKeys } from '../cache/policy/lookup-options.js'
import { Tick } from '../cache/read/tick.js'
import { ReadThroughCache } from '../cache/read-through-cache.js'
import { type CacheObserver, silentObserver } from '../cache/telemetry/observer.js'
import { duplicateDefinitionError, invalidOptionError } from '../configuration-errors.js'
import { createModelCache } from '../create-model-cache.js'
import { KeptResults } from '../results/kept-results.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { withDiagnostics } from '../metrics/diagnostics.js'
import {
  AtRest,
  type AtRestOptions,
  consistencySettings,
  type Messages,
  ModelCacheWrites,
  NamespaceDatabase,
  type OperatorLog,
  sealedMessages,
  shieldLog,
  type Store,
} from '../protocol/index.js'
import type { ModelResultOptions } from '../source/query-results.js'
import { coordinatorOf } from '../source/prisma/extended-clients.js'
import { isSameDatabaseAs } from '../source/prisma/internals.js'
import { databaseOf } from '../source/prisma/prisma-database.js'
import { PrismaStandby } from '../source/prisma/prisma-standby.js'
import { readsOf } from '../source/prisma/reads/answer-reads.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'
import { watchLoadOf } from '../source/prisma/shared-connection.js'
import { lossesWith, verifyPrimary, createSource } from './prisma-client.js'
import { noZstdWarning, otherFormsWarning, verifyAtRest } from './stored-forms.js'
import { createStore, type RegistryStoreOptions } from './create-store.js'

/** Written by scripts/build-library.ts. */
declare const PACKAGE_VERSION: string | undefined
registerPackage(
  'model-cache',
  typeof PACKAGE_VERSION === 'undefined' ? undefined : PACKAGE_VERSION,
  new Error('Here'),
)

/** The options of `ModelCacheModule.forRoot` that have nothing to do with Nest. */
export interface CacheRegistryOptions extends CacheSettingsOptions, RegistryStoreOptions {
  /**
   * `'manual'`: you call `invalidate` after each write, and do not extend the Prisma client. @default the log warns at start-up
   * if the client is not extended
   */
  readonly writes?: 'manual'
  /**
   * Encrypts what is stored: rows, lists, results, and ids in messages between processes; see docs/recipes/personal-data.md.
   * @default rows are stored in clear text
   */
  readonly atRest?: AtRestOptions
  /**
   * How many loads from the database may run at once, over all models; one cache gets at most three quarters of them. Further
   * loads wait. If the source of a load reads caches, that needs no permit of its own. @default 8
   */
  readonly maxConcurrentLoads?: number
  /**
   * Milliseconds that a load may take. After that its readers get an error with the code `E_LOAD_TIMEOUT`, its permit goes to
   * other loads, and the library drops what it returns later. @default 30_000
   */
  readonly loadTimeoutMs?: number
  /** Such as `createCacheMetrics(register)` of `model-cache/advanced`. @default what happens is published on `node:diagnostics_channel` only */
  readonly observer?: CacheObserver
  /** Receives what an operator should know, once per kind or per change of state. @default no log */
  readonly warn?: (message: string) => void
  /** Receives the end of what `warn` received. @default no log */
  readonly info?: (message: string) => void
}

/** What the Nest module provides itself, and finds out about the application. */
export interface CacheRegistryParts {
  readonly observer?: CacheObserver
  readonly store?: Store
  readonly writes?: ModelCacheWrites
  readonly slicer?: Slicer
  readonly pressure?: Pressure
  /** @throws ConfigurationError that says where the client was looked for */
  readonly clientOf?: (definition: AnyModelCacheDefinition) => object | undefined
  readonly runLoad?: <T>(name: string, load: () => Promise<T>) => Promise<T>
  /**
   * Undefined if reads use the caches also while nobody follows.
   *
   * @param option that requires a follower
   * @throws ConfigurationError when nobody can follow
   */
  readonly followState?: (option: string) => FollowState | undefined
  /** Returns which clients are not extended, besides that of the caches. */
  readonly otherLosses?: (prisma: object) => readonly string[]
}

/** A cache of a registry. */
export interface CacheRegistration {
  readonly definition: AnyModelCacheDefinition
  /** What callers have, before the start as well. */
  readonly injected: ReadThroughCache<unknown, unknown>
  /** The cache behind `injected`; undefined until the start has bound it. */
  cache: ReadThroughCache<unknown, unknown> | undefined
  /** The Prisma client; undefined before the start, or without one. */
  prisma: object | undefined
  /** Settles when a cache that was registered after the start began is bound, or cannot be. */
  binding?: Promise<void>
}

/**
 * The caches of a process over one store, and what they share: the connections, the coordinator of writes, the limit on loads. A process
 * without Nest creates one; `ModelCacheModule.forRoot` has one for each root.
 *
 * @example
 * ```ts
 * const registry = new CacheRegistry({ valkey: { url }, warn: console.warn })
 * const prisma = extendPrisma(new PrismaClient({ adapter }), registry.writes)
 * const users = await registry.register(userCache)
 * await registry.start(prisma)
 * // at the end: await registry.close()
 * ```
 */
export class CacheRegistry {
  readonly store: Store
  /** For `extendPrisma`. */
  readonly writes: ModelCacheWrites
  readonly #options: CacheRegistryOptions
  readonly #settings: CacheSettingsOptions
  readonly #parts: CacheRegistryParts
  readonly #observer: CacheObserver
  readonly #log: OperatorLog
  readonly #tick = new Tick()
  readonly #slicer: Slicer
  readonly #loads: LoadPermits
  /** Undefined if nothing is encrypted. */
  readonly #atRest: AtRest | undefined
  readonly #caches = new Map<string, CacheRegistration>()
  /** Lost guarantees that have been logged. */
  readonly #losses = new Set<string>()
  #prisma: object | undefined
  #primary: object | undefined
  /** The database of the namespace; undefined without a Prisma client. */
  #database: NamespaceDatabase | undefined
  /** Undefined until the start. */
  #results: KeptResults | undefined
  #starting: Promise<void> | undefined

  /**
   * @param parts for the Nest module
   * @throws ConfigurationError
   */
  constructor(options: CacheRegistryOptions = {}, parts: CacheRegistryParts = {}) {
    this.#options = options
    this.#settings = settingsIn(options)
    this.#parts = parts
    this.#observer = parts.observer ?? withDiagnostics(options.observer ?? silentObserver)
    this.#log = shieldLog(options)
    this.#atRest = options.atRest && AtRest.of(options.atRest)
    this.store = parts.store ?? createStore(options, this.#observer, this.#log)
    this.writes =
      parts.writes ??
      new ModelCacheWrites({
        ...this.#settings,
        ...this.#log,
        store: this.store,
        ...(options.atRest && { atRest: options.atRest }),
      })
    this.#slicer = parts.slicer ?? new Slicer()
    this.#loads = createLoadPermits(options.maxConcurrentLoads, options.loadTimeoutMs)
  }

  get caches(): readonly CacheRegistration[] {
    return [...this.#caches.values()]
  }

  /** Messages of the store for what processes tell each other of rows: encrypted, if rows are. */
  get messages(): Messages | undefined {
    const { messages } = this.store
    return messages && this.#atRest ? sealedMessages(messages, this.#atRest) : messages
  }

  /** What the database calls itself; undefined without a Prisma client. */
  get database(): string | undefined {
    return this.#database?.name
  }

  /** Guarantees that checks of the client found to be lost, in sentences. */
  get losses(): readonly string[] {
    return [...this.#losses]
  }

  /**
   * Returns the cache of a definition, created at the first call. It can be used once the registry has started.
   *
   * @throws ConfigurationError
   */
  async register<Row, Id, Keys extends LookupKeys>(
    definition: ModelCacheDefinition<Row, Id, Keys>,
  ): Promise<ModelCache<Row, Id, Keys>> {
    const { injected } = await this.#register(definition)
    return injected as unknown as ModelCache<Row, Id, Keys>
  }

  async #register(definition: AnyModelCacheDefinition): Promise<CacheRegistration> {
    const { name } = definition
    const known = this.#caches.get(name)
    if (known && known.definition !== definition) throw duplicateDefinitionError(name)
    const registered = known ?? this.#add(definition)
    await registered.binding
    return registered
  }

  #add(definition: AnyModelCacheDefinition): CacheRegistration {
    const injected = new ReadThroughCache<unknown, unknown>(definition.name)
    const added: CacheRegistration = { definition, injected, cache: undefined, prisma: undefined }
    this.#caches.set(definition.name, added)
    if (this.#starting) added.binding = this.#bindLater(added, this.#starting)
    return added
  }

  async #bindLater(registered: CacheRegistration, starting: Promise<void>): Promise<void> {
    try {
      await starting
      // The start binds those that are registered before it comes to that.
      if (registered.cache) return
      await this.#bind(registered)
      await this.#verifyClient()
      await this.#database?.start()
    } catch (error) {
      this.#caches.delete(registered.definition.name)
      await registered.cache?.close()
      throw error
    }
  }

  /**
   * Binds the caches to a client, verifies it, and connects to the store. Close the registry also if that fails.
   *
   * @param prisma the extended client; a process without caches writes through it
   * @param primary the client of the primary, if `prisma` reads from a standby of PostgreSQL; see docs/recipes/regions.md
   * @throws ConfigurationError
   * @throws EventLoopError if the process has two copies or two versions of the library's packages
   */
  start(prisma: object | undefined, primary?: object): Promise<void> {
    return (this.#starting = this.#start(prisma, primary))
  }

  async #start(prisma: object | undefined, primary: object | undefined): Promise<void> {
    verifyPackages()
    this.#prisma = prisma
    if (this.#atRest) await this.#atRest.open()
    if (prisma && primary) {
      verifyPrimary(primary, prisma)
      this.#primary = primary
      // Half of the time that fences stand: a commit has taken the other half, or less.
      const patienceMs = 0.5 * consistencySettings(this.#options.consistency).fenceMs
      this.writes.holdFor(new PrismaStandby(primary, prisma, patienceMs))
    }
    if (this.#atRest) verifyAtRest(this.#atRest, this.#definitions, prisma && schemaFactsOf(prisma))
    await Promise.all(this.caches.map((registered) => this.#bind(registered)))
    this.#keepResults()
    await this.#verifyClient()
    // A start that fails on its configuration does not connect.
    if (!this.#options.store) await this.store.connect()
    for (const advice of (await this.store.advice?.()) ?? []) this.#log.warn(`ModelCache: ${advice}`)
    await this.#database?.start()
    await Promise.all(this.caches.map(({ cache }) => cache?.join()))
    await this.#results?.join()
    this.#warnOfForms()
  }

  get #definitions(): readonly AnyModelCacheDefinition[] {
    return this.caches.map(({ definition }) => definition)
  }

  /** Says what the catalogue, or this Node, shows of how values are stored. */
  #warnOfForms(): void {
    const { namespace = 'mc' } = this.#settings
    const { catalogue } = this.writes.cachesIn({ store: this.store, namespace })
    const own = new Map(
      this.caches.map(({ cache, definition }) => [definition.name, cache?.inspected.description.atRest]),
    )
    const compressed = this.#definitions.filter(({ compressAboveBytes }) => compressAboveBytes !== undefined)
    const warnings = [
      otherFormsWarning(catalogue.caches, own),
      noZstdWarning(compressed.map(({ name }) => name)),
    ]
    for (const warning of warnings) if (warning !== undefined) this.#log.warn(`ModelCache: ${warning}.`)
  }

  /**
   * Keeps results of the client. Without its `reads` there are none, and clients beside it may end those of other processes nevertheless.
   *
   * @throws ConfigurationError
   */
  #keepResults(): void {
    const prisma = this.#prisma ?? {}
    const reads = readsOf(prisma)
    const models = reads?.settings.results ?? new Map<string, ModelResultOptions>()
    const needsFollower = (model: string): boolean =>
      models.get(model)?.follow === 'required' ||
      this.#definitions.some((definition) => definition.needsFollower && definition.model === model)
    this.#results = new KeptResults({
      ...this.#shared(),
      models,
      followOf: (model) =>
        needsFollower(model) ? this.#followState(`reads.results.${model}.follow`) : undefined,
      facts: schemaFactsOf(prisma),
      isFrom: isSameDatabaseAs(prisma),
      ...(reads && { database: this.#databaseOf(prisma), watchLoad: watchLoadOf(prisma) }),
    })
    this.writes.reads.results = this.#results
  }

  /** Completes reads and invalidations, and closes the connections to the store, once it has started and bound its caches. */
  async close(): Promise<void> {
    await this.#starting?.catch(() => {})
    await Promise.all([this.#results?.close(), this.#closeCaches()])
    // Not before: callers end results of other processes until then.
    this.writes.reads.results = undefined
    await this.writes.close()
    await this.#database?.stop()
    if (!this.#options.store) await this.store.close()
  }

  async #closeCaches(): Promise<void> {
    await waitToClose(Promise.allSettled(this.caches.map(({ binding }) => binding)))
    await Promise.all(this.caches.map(({ cache }) => cache?.close()))
  }

  async #bind(registered: CacheRegistration): Promise<void> {
    const { definition, injected } = registered
    const { clientOf, runLoad } = this.#parts
    const follow = definition.needsFollower
      ? this.#followState(`follow of ModelCache "${definition.name}"`)
      : undefined
    const prisma = clientOf ? clientOf(definition) : this.#prisma
    const facts = prisma && schemaFactsOf(prisma)
    const database = prisma && this.#databaseOf(prisma)
    registered.prisma = prisma
    const bound = bindDefinition(definition, facts)
    const { load, ...source } = await createSource(bound, prisma, this.#primary)
    registered.cache = createModelCache<unknown, unknown>(
      bound,
      {
        ...this.#shared(),
        source: {
          ...source,
          load: (ids, client) =>
            runLoad ? runLoad(`${definition.name} load`, () => load(ids, client)) : load(ids, client),
        },
        ...(facts && { facts }),
        ...(database && { database }),
        ...(follow && { follow }),
      },
      injected,
    )
  }

  #followState(option: string): FollowState | undefined {
    return (this.#parts.followState ?? refuseFollower)(option)
  }

  /** What all caches of the registry, and the results of queries, have in common. */
  #shared() {
    const { pressure } = this.#parts
    return {
      ...this.#log,
      ...this.#settings,
      store: this.store,
      tick: this.#tick,
      slicer: this.#slicer,
      loads: this.#loads,
      writes: this.writes,
      observer: this.#observer,
      atRest: this.#atRest,
      ...(pressure && { pressure }),
    }
  }

  #databaseOf(prisma: object): NamespaceDatabase {
    return (this.#database ??= new NamespaceDatabase({
      ...this.#log,
      ...this.#settings,
      store: this.store,
      database: databaseOf(prisma),
    }))
  }

  async #verifyClient(): Promise<void> {
    const prisma = this.#parts.clientOf ? this.caches[0]?.prisma : this.#prisma
    if (!prisma) return
    const losses = await lossesWith(prisma, this.writes, this.#options)
    const others = coordinatorOf(prisma) === this.writes ? (this.#parts.otherLosses?.(prisma) ?? []) : []
    for (const loss of [...losses, ...others]) {
      // Verified again for each cache that is registered after the start.
      if (this.#losses.has(loss)) continue
      this.#losses.add(loss)
      this.#log.warn(`ModelCache: ${loss}.`)
    }
  }
}

/** Picks the settings of caches from options that may hold others, such as those of `forRoot`. */
function settingsIn({
  audit,
  buckets,
  consistency,
  maxNotFoundBytes,
  namespace,
}: CacheSettingsOptions): CacheSettingsOptions {
  return {
    ...(audit && { audit }),
    ...(buckets !== undefined && { buckets }),
    ...(consistency && { consistency }),
    ...(maxNotFoundBytes !== undefined && { maxNotFoundBytes }),
    ...(namespace !== undefined && { namespace }),
  }
}

/** A process without Nest does not know whether the log of the database is followed. */
function refuseFollower(option: string): never {
  throw invalidOptionError(
    option,
    'required',
    'no such option in a process without Nest, which does not know when nobody follows',
  )
}
