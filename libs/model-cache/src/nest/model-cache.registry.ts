import {
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common'
import type { ModuleRef, ModulesContainer } from '@nestjs/core'
import type { BlockWatch, EventLoopPressure } from '@model-cache/event-loop'
import type { MetricsRegistry, Slicer } from '@model-cache/event-loop/internal'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { LoadPermits } from '../cache/load/load-permits.js'
import { createLoadPermits } from '../cache/load/load-permits.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { CacheObserver } from '../cache/telemetry/observer.js'
import { ReadThroughCache } from '../cache/read-through-cache.js'
import { Tick } from '../cache/read/tick.js'
import {
  consistencySettings,
  type ModelCacheWrites,
  NamespaceDatabase,
  type Store,
} from '../protocol/index.js'
import { createModelCache } from '../create-model-cache.js'
import { KeptResults } from '../kept-results.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { suggestionRules } from '../definitions/suggestion-rules.js'
import { duplicateDefinitionError, duplicateRootError, invalidOptionError } from '../configuration-errors.js'
import { coordinatorOf } from '../source/prisma/extended-clients.js'
import { isSameDatabaseAs } from '../source/prisma/internals.js'
import { databaseOf } from '../source/prisma/prisma-database.js'
import { PrismaStandby } from '../source/prisma/prisma-standby.js'
import { readsOf } from '../source/prisma/reads/answer-reads.js'
import { clientQueriesOf } from '../source/prisma/reads/client-queries.js'
import { queryCoverageOf } from '../source/prisma/reads/query-coverage.js'
import { suggestDefinitions } from '../source/prisma/suggestions/suggest-definitions.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'
import { watchLoadOf } from '../source/prisma/shared-connection.js'
import { BackgroundProofs } from './background-proofs.js'
import type { FollowerReport, FollowReports, RootFollower } from './followed-root.js'
import { type InspectedRoot, inspectedRoot, type RootCache } from './inspected-root.js'
import { type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { createSource, findPrisma, lossesWith, resolvePrimary, resolvePrisma } from './model-cache.source.js'
import type { CacheState } from './model-cache.tokens.js'
import { nestLog } from './nest-log.js'
import type { RootWarmer } from './root-warmer.js'
import { startReportOf } from './start-report.js'
import { unextendedClients } from './unextended-clients.js'

/** Queries for which a process looks for definitions while it answers requests. */
const maxPlanned = 200

interface Registration {
  readonly definition: AnyModelCacheDefinition
  readonly injected: ReadThroughCache<unknown, unknown>
  /** The injected one; undefined until the start has bound it. */
  cache: ReadThroughCache<unknown, unknown> | undefined
  /** Undefined without one, and until then. */
  prisma: object | undefined
}

/** The root that a registry belongs to. */
export interface Root {
  /** Undefined for the unnamed root. */
  readonly name: string | undefined
  readonly options: ModelCacheModuleOptions
}

/** What all caches of a root share. */
export interface RootServices {
  readonly store: Store
  readonly metrics: MetricsRegistry
  readonly observer: CacheObserver
  readonly writes: ModelCacheWrites
  /** Undefined if writes outside Prisma are not followed. */
  readonly follow: RootFollower | undefined
  /** Undefined if nothing is warmed up. */
  readonly warm: RootWarmer | undefined
}

/** What the roots of an application share. */
export interface EventLoopServices {
  readonly pressure: EventLoopPressure
  readonly watch: BlockWatch
  readonly slicer: Slicer
}

/** The application, through which the registry finds the Prisma client and other roots. */
export interface NestApplication {
  readonly moduleRef: ModuleRef
  readonly modules: ModulesContainer
}

/**
 * Creates the one cache of each definition of a root, binds their sources at start and closes them at shutdown.
 *
 * Relies on the order of hooks that Nest 11 and 12 have in common: all providers exist before the first hook, and the hooks of global
 * modules, such as that of a root, run before those of other modules at start, and after them at shutdown. Within a module nothing is
 * relied on: there, Nest 12 runs hooks by level of dependencies, and Nest 11 all of them together.
 */
export class ModelCacheRegistry
  implements CacheState, OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown
{
  readonly #registrations = new Map<string, Registration>()
  readonly #tick = new Tick()
  readonly #loads: LoadPermits
  readonly #logger = new Logger('ModelCache')
  readonly #log = nestLog(this.#logger)
  readonly #root: Root
  readonly #services: RootServices
  readonly #eventLoop: EventLoopServices
  readonly #application: NestApplication
  /** First part of every key. */
  readonly #namespace: string
  readonly #proofs = new BackgroundProofs()
  /** Lost guarantees that have been logged. */
  readonly #losses = new Set<string>()
  /** Undefined without a Prisma client. */
  #database: NamespaceDatabase | undefined
  /** Undefined if the client keeps no results of queries. */
  #results: KeptResults | undefined
  #initialised = false

  /** @throws ConfigurationError */
  constructor(
    root: Root,
    services: RootServices,
    eventLoop: EventLoopServices,
    application: NestApplication,
  ) {
    const { name, options } = root
    if (name !== undefined && options.eventLoop) {
      throw invalidOptionError('eventLoop', options.eventLoop, 'it in the options of the unnamed root only')
    }
    this.#root = root
    this.#services = services
    this.#eventLoop = eventLoop
    this.#application = application
    this.#namespace = namespaceOf(options, name)
    this.#loads = createLoadPermits(options.maxConcurrentLoads, options.loadTimeoutMs)
  }

  get distrusted(): readonly string[] {
    return [...this.#registrations.values()].flatMap(({ cache, definition }) =>
      cache?.distrustsL1 ? [definition.name] : [],
    )
  }

  get follower(): FollowerReport | undefined | null {
    const { follow } = this.#services
    return follow ? (follow.watch.report ?? null) : undefined
  }

  /** What there is to see of the caches, once they are bound. */
  get [inspectedRoot](): InspectedRoot {
    const { options, name } = this.#root
    const { follow, metrics, store, writes } = this.#services
    return {
      name,
      namespace: this.#namespace,
      store,
      mode: consistencySettings(options.consistency).mode,
      database: () => this.#database?.name,
      catalogue: writes.knownIn({ store, namespace: this.#namespace }).catalogue,
      follow: follow?.watch,
      warnings: () => [...this.#losses],
      metrics: { registry: metrics, prefix: options.metricsPrefix ?? '' },
      queries: () => this.#prisma && clientQueriesOf(this.#prisma),
      suggest: (answers) => {
        const facts = this.#prisma && schemaFactsOf(this.#prisma)
        return facts && suggestDefinitions(answers, facts, suggestionRules(facts), maxPlanned)
      },
      caches: () => new Map(this.#boundCaches()),
    }
  }

  async newSchemas(): Promise<ReadonlyMap<string, Date>> {
    const waits = [...this.#registrations.values()].map(
      async ({ cache, definition }) => [definition.name, await cache?.fillsFrom()] as const,
    )
    return new Map((await Promise.all(waits)).filter((wait): wait is [string, Date] => wait[1] !== undefined))
  }

  /**
   * Returns the cache of a definition, created at the first call.
   *
   * @throws ConfigurationError
   */
  async register(definition: AnyModelCacheDefinition): Promise<ModelCache<unknown, unknown>> {
    const { name } = definition
    const known = this.#registrations.get(name)
    if (known && known.definition !== definition) throw duplicateDefinitionError(name)
    if (known) return known.injected
    const injected = new ReadThroughCache<unknown, unknown>(name)
    const registration: Registration = { definition, injected, cache: undefined, prisma: undefined }
    this.#registrations.set(name, registration)
    // Lazily loaded modules register after the start.
    if (this.#initialised) {
      try {
        await this.#bind(registration)
        await this.#verifyWrites()
        await this.#database?.start()
      } catch (error) {
        this.#registrations.delete(name)
        await registration.cache?.close()
        throw error
      }
      if (registration.cache) this.#proofs.add(registration.cache)
    }
    return injected
  }

  /** Binds the caches here, since providers are created in any order and the Prisma client exists only now. */
  async onModuleInit(): Promise<void> {
    this.#refuseDuplicateRoots()
    try {
      await this.#start()
    } catch (error) {
      // Nest closes nothing then, and an open connection would keep the process alive.
      await this.onApplicationShutdown()
      throw error
    }
    this.#report()
  }

  async #start(): Promise<void> {
    this.#holdFences()
    await Promise.all([...this.#registrations.values()].map((registration) => this.#bind(registration)))
    this.#keepResults()
    this.#initialised = true
    await this.#verifyWrites()
    // A start that fails on its configuration does not connect.
    if (!this.#root.options.store) await this.#services.store.connect()
    for (const advice of (await this.#services.store.advice?.()) ?? []) this.#logger.warn(advice)
    await this.#database?.start()
    await Promise.all([...this.#registrations.values()].map(({ cache }) => cache?.join()))
    await this.#results?.join()
    await this.#services.follow?.start()
  }

  /** @throws ConfigurationError */
  #keepResults(): void {
    const { options } = this.#root
    const prisma = findPrisma(options.prisma, this.#application.moduleRef)
    const models = prisma && readsOf(prisma)?.settings.results
    if (!models) return
    const { writes } = this.#services
    this.#results = new KeptResults({
      models,
      facts: schemaFactsOf(prisma),
      database: this.#databaseOf(prisma),
      isFrom: isSameDatabaseAs(prisma),
      watchLoad: watchLoadOf(prisma),
      writes,
      ...this.#shared(),
    })
    writes.reads.results = this.#results
  }

  #report(): void {
    const { name, options } = this.#root
    const { line, warnings } = startReportOf({
      name,
      namespace: this.#namespace,
      caches: [...this.#registrations.values()].map(({ definition }) => definition),
      prisma: findPrisma(options.prisma, this.#application.moduleRef),
      database: this.#database?.name,
      store: this.#services.store,
    })
    this.#logger.log(line)
    for (const warning of warnings) this.#logger.warn(warning)
  }

  onApplicationBootstrap(): void {
    for (const { cache } of this.#registrations.values()) if (cache) this.#proofs.add(cache)
    this.#services.warm?.start(() => this.#cachesByName())
  }

  async onApplicationShutdown(): Promise<void> {
    this.#proofs.stop()
    await this.#services.warm?.stop()
    await this.#services.follow?.stop()
    await Promise.all([...this.#registrations.values()].map(({ cache }) => cache?.close()))
    this.#services.writes.reads.results = undefined
    await this.#results?.close()
    await this.#services.writes.close()
    await this.#database?.stop()
    if (!this.#root.options.store) await this.#services.store.close()
  }

  *#boundCaches(): Iterable<[name: string, RootCache]> {
    for (const { cache, definition, prisma } of this.#registrations.values()) {
      if (!cache) continue
      const coverage = () => (prisma ? queryCoverageOf(prisma, definition) : undefined)
      yield [definition.name, { cache, inspected: cache.inspected, definition, coverage }]
    }
  }

  #cachesByName(): ReadonlyMap<string, ReadThroughCache<unknown, unknown>> {
    return new Map(
      [...this.#registrations].flatMap(([name, { cache }]) => (cache ? [[name, cache] as const] : [])),
    )
  }

  /** The client whose queries caches answer. */
  get #prisma(): object | undefined {
    return [...this.#registrations.values()].find(({ prisma }) => prisma)?.prisma
  }

  async #verifyWrites(): Promise<void> {
    const [first] = this.#registrations.values()
    const prisma =
      first && resolvePrisma(this.#root.options.prisma, this.#application.moduleRef, first.definition)
    if (!prisma) return
    const losses = await lossesWith(prisma, this.#services.writes, this.#root.options)
    const others =
      coordinatorOf(prisma) === this.#services.writes
        ? unextendedClients(prisma, this.#application.modules)
        : []
    for (const loss of [...losses, ...others]) {
      // Verified again for each lazily loaded module.
      if (this.#losses.has(loss)) continue
      this.#losses.add(loss)
      this.#logger.warn(`${loss}.`)
    }
  }

  /**
   * Nest silently uses the last of two roots with the same name, and two with the same namespace would share rows. Each root
   * compares all of them, so that the start fails before any has connected.
   */
  #refuseDuplicateRoots(): void {
    const modules = [...this.#application.modules.values()]
    const instances = new Set(
      modules.flatMap(({ providers }) => [...providers.values()].map(({ instance }) => instance)),
    )
    const registries = [...instances].filter((instance) => instance instanceof ModelCacheRegistry)
    for (const [i, one] of registries.entries()) {
      for (const other of registries.slice(i + 1)) {
        const name = one.#root.name === undefined ? 'without a name' : `named "${one.#root.name}"`
        if (other.#root.name === one.#root.name) throw duplicateRootError(`there are two roots ${name}`)
        if (other.#namespace === one.#namespace)
          throw duplicateRootError(
            `two roots have the namespace "${one.#namespace}", and therefore the same keys for different databases`,
          )
      }
    }
  }

  #databaseOf(prisma: object): NamespaceDatabase {
    return (this.#database ??= new NamespaceDatabase({
      store: this.#services.store,
      namespace: this.#namespace,
      database: databaseOf(prisma),
      ...this.#log,
    }))
  }

  /** @throws ConfigurationError when nobody can follow */
  #followState({ name }: AnyModelCacheDefinition): { readonly follow?: FollowReports } {
    const { follow } = this.#services
    if (!follow) {
      throw invalidOptionError(
        `follow of ModelCache "${name}"`,
        'required',
        '`follow` in ModelCacheModule.forRoot, such as followPostgres({ url }) of @model-cache/follow, or no such option',
      )
    }
    return this.#root.options.follow?.onGap === 'bypass' ? { follow: follow.watch } : {}
  }

  /** How long fences wait for a standby at most: a commit has taken the other half of the time that they stand, or less. */
  get #patienceMs(): number {
    return 0.5 * consistencySettings(this.#root.options.consistency).fenceMs
  }

  /** Holds fences until the standby has the write, also those of writers without caches. */
  #holdFences(): void {
    const { options } = this.#root
    const prisma = findPrisma(options.prisma, this.#application.moduleRef)
    const primary = prisma && resolvePrimary(options, prisma, this.#application.moduleRef)
    if (primary) this.#services.writes.holdFor(new PrismaStandby(primary, prisma, this.#patienceMs))
  }

  async #bind(registration: Registration): Promise<void> {
    const { definition, injected } = registration
    const { options } = this.#root
    const prisma = resolvePrisma(options.prisma, this.#application.moduleRef, definition)
    const facts = prisma && schemaFactsOf(prisma)
    const database = prisma && this.#databaseOf(prisma)
    registration.prisma = prisma
    const bound = bindDefinition(definition, facts)
    const primary = prisma && resolvePrimary(options, prisma, this.#application.moduleRef)
    const { load, ...source } = await createSource(bound, prisma, primary)
    registration.cache = createModelCache<unknown, unknown>(
      bound,
      {
        source: {
          ...source,
          load: (ids, client) =>
            this.#eventLoop.watch.run(`${definition.name} load`, () => load(ids, client)),
        },
        writes: this.#services.writes,
        ...this.#shared(),
        ...(facts && { facts }),
        ...(database && { database }),
        ...(definition.needsFollower && this.#followState(definition)),
        ...(options.audit && { audit: options.audit }),
      },
      injected,
    )
  }

  /** What all caches of the root, and the results of queries, have in common. */
  #shared() {
    const { buckets, consistency, maxNotFoundBytes } = this.#root.options
    const { observer, store } = this.#services
    const { pressure, slicer } = this.#eventLoop
    return {
      store,
      tick: this.#tick,
      slicer,
      loads: this.#loads,
      pressure,
      observer,
      ...this.#log,
      namespace: this.#namespace,
      ...(consistency && { consistency }),
      ...(buckets !== undefined && { buckets }),
      ...(maxNotFoundBytes !== undefined && { maxNotFoundBytes }),
    }
  }
}
