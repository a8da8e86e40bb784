import {
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common'
import type { ModuleRef, ModulesContainer } from '@nestjs/core'
import { type BlockWatch, EventLoopModule, type EventLoopPressure } from '@model-cache/event-loop'
import { type MetricsRegistry, type Slicer, verifyImportedOnce } from '@model-cache/event-loop/internal'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { CacheObserver } from '../cache/telemetry/observer.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { AtRest, consistencySettings, type ModelCacheWrites, type Store } from '../protocol/index.js'
import { duplicateRootError, invalidOptionError } from '../configuration-errors.js'
import { CacheRegistry } from '../registry/cache-registry.js'
import { allClientQueriesOf } from '../source/prisma/reads/client-queries.js'
import { answeredClientOf, queryCoverageOf } from '../source/prisma/reads/query-coverage.js'
import { schemaFactsOf } from '../source/prisma/schema/describe-schema.js'
import { BackgroundProofs } from './background-proofs.js'
import type { FollowerReport, FollowReports, RootFollower } from './followed-root.js'
import { type InspectedRoot, inspectedRoot, type RootCache } from './inspected-root.js'
import { type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { findPrisma, resolvePrimary, resolvePrisma, unextendedClients } from './model-cache.source.js'
import type { CacheState } from './model-cache.tokens.js'
import { nestLog } from './nest-log.js'
import type { RootWarmer } from './root-warmer.js'
import { startReportOf } from './start-report.js'

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
  readonly #caches: CacheRegistry
  readonly #logger = new Logger('ModelCache')
  readonly #root: Root
  readonly #services: RootServices
  readonly #application: NestApplication
  /** First part of every key. */
  readonly #namespace: string
  readonly #proofs = new BackgroundProofs()

  /** @throws ConfigurationError */
  constructor(
    root: Root,
    services: RootServices,
    { pressure, slicer, watch }: EventLoopServices,
    application: NestApplication,
  ) {
    const { name, options } = root
    if (name !== undefined && options.eventLoop) {
      throw invalidOptionError('eventLoop', options.eventLoop, 'it in the options of the unnamed root only')
    }
    this.#root = root
    this.#services = services
    this.#application = application
    this.#namespace = namespaceOf(options, name)
    const { observer, store, writes } = services
    this.#caches = new CacheRegistry(
      { ...options, namespace: this.#namespace, ...nestLog(this.#logger) },
      {
        observer,
        store,
        writes,
        pressure,
        slicer,
        clientOf: (definition) => resolvePrisma(options.prisma, application.moduleRef, definition),
        runLoad: (loading, load) => watch.run(loading, load),
        followState: (option) => this.#followState(option),
        otherLosses: (prisma) => unextendedClients(prisma, application.modules),
      },
    )
  }

  get distrusted(): readonly string[] {
    return this.#caches.caches.flatMap(({ cache, definition }) =>
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
      messages: this.#caches.messages,
      mode: consistencySettings(options.consistency).mode,
      database: () => this.#caches.database,
      catalogue: writes.cachesIn({ store, namespace: this.#namespace }).catalogue,
      follow: follow?.watch,
      warnings: () => this.#caches.losses,
      metrics: { registry: metrics, prefix: options.metricsPrefix ?? '' },
      queries: () => (this.#prisma ? allClientQueriesOf(this.#prisma) : []),
      schema: () => this.#prisma && schemaFactsOf(this.#prisma),
      caches: () => new Map(this.#boundCaches()),
    }
  }

  async newSchemas(): Promise<ReadonlyMap<string, Date>> {
    const waits = this.#caches.caches.map(
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
    const injected = await this.#caches.register(definition)
    // Lazily loaded modules register after the start.
    const cache = this.#caches.caches.find((one) => one.definition === definition)?.cache
    if (cache) this.#proofs.add(cache)
    return injected
  }

  /** Binds the caches here, since providers are created in any order and the Prisma client exists only now. */
  async onModuleInit(): Promise<void> {
    this.#refuseDuplicateRoots()
    // As `EventLoopModule` does when all roots have started: Nest closes none of them then, and their connections would stay open.
    verifyImportedOnce(this.#application.modules, EventLoopModule)
    try {
      await this.#start()
    } catch (error) {
      // Nest closes nothing then, and an open connection would keep the process alive: also one of a root that has started.
      await Promise.all(this.#allRegistries.map((registry) => registry.onApplicationShutdown()))
      throw error
    }
    this.#report()
  }

  async #start(): Promise<void> {
    const { moduleRef } = this.#application
    const { options } = this.#root
    const prisma = findPrisma(options.prisma, moduleRef)
    await this.#caches.start(prisma, prisma && resolvePrimary(options, prisma, moduleRef))
    await this.#services.follow?.start()
  }

  #report(): void {
    const { name, options } = this.#root
    const prisma = this.#prisma
    const { line, warnings } = startReportOf({
      name,
      namespace: this.#namespace,
      caches: this.#caches.caches.map(({ definition }) => definition),
      prisma: prisma && answeredClientOf(prisma),
      database: this.#caches.database,
      store: this.#services.store,
      atRest: options.atRest && AtRest.of(options.atRest),
    })
    this.#logger.log(line)
    for (const warning of warnings) this.#logger.warn(warning)
  }

  onApplicationBootstrap(): void {
    for (const { cache } of this.#caches.caches) if (cache) this.#proofs.add(cache)
    this.#services.warm?.start(() => this.#cachesByName())
  }

  async onApplicationShutdown(): Promise<void> {
    this.#proofs.stop()
    await this.#services.warm?.stop()
    await this.#services.follow?.stop()
    await this.#caches.close()
  }

  *#boundCaches(): Iterable<[name: string, RootCache]> {
    for (const { cache, definition, prisma } of this.#caches.caches) {
      if (!cache) continue
      const coverage = () => (prisma ? queryCoverageOf(answeredClientOf(prisma), definition) : undefined)
      yield [definition.name, { cache, inspected: cache.inspected, definition, coverage }]
    }
  }

  #cachesByName(): ReadonlyMap<string, ReadThroughCache<unknown, unknown>> {
    return new Map(
      this.#caches.caches.flatMap(({ cache, definition }) =>
        cache ? [[definition.name, cache] as const] : [],
      ),
    )
  }

  /** The client that the caches load from, or the one of `forRoot` without caches. */
  get #prisma(): object | undefined {
    const { options } = this.#root
    return (
      this.#caches.caches.find(({ prisma }) => prisma)?.prisma ??
      findPrisma(options.prisma, this.#application.moduleRef)
    )
  }

  /**
   * Nest silently uses the last of two roots with the same name, and two with the same namespace would share rows. Each root
   * compares all of them, so that the start fails before any has connected.
   */
  #refuseDuplicateRoots(): void {
    const registries = this.#allRegistries
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

  /** Those of all roots of the application. */
  get #allRegistries(): readonly ModelCacheRegistry[] {
    const modules = [...this.#application.modules.values()]
    const instances = new Set(
      modules.flatMap(({ providers }) => [...providers.values()].map(({ instance }) => instance)),
    )
    return [...instances].filter((instance) => instance instanceof ModelCacheRegistry)
  }

  /** @throws ConfigurationError when nobody can follow */
  #followState(option: string): FollowReports | undefined {
    const { follow } = this.#services
    if (!follow) {
      throw invalidOptionError(
        option,
        'required',
        '`follow` in ModelCacheModule.forRoot, such as followPostgres({ url }) of @model-cache/follow, or no such option',
      )
    }
    return this.#root.options.follow?.onGap === 'bypass' ? follow.watch : undefined
  }
}
