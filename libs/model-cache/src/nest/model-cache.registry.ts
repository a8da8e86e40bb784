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

/** What the registry of a root is made of. */
export interface RootParts {
  /** Undefined for the unnamed root. */
  readonly name: string | undefined
  readonly options: ModelCacheModuleOptions
  readonly store: Store
  readonly metrics: MetricsRegistry
  readonly observer: CacheObserver
  readonly writes: ModelCacheWrites
  /** Undefined if writes outside Prisma are not followed. */
  readonly follow: RootFollower | undefined
  /** Undefined if nothing is warmed up. */
  readonly warm: RootWarmer | undefined
  // The roots of an application share these.
  readonly pressure: EventLoopPressure
  readonly watch: BlockWatch
  readonly slicer: Slicer
  /** The application, in which the registry finds the Prisma client and other roots. */
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
  readonly #parts: RootParts
  /** First part of every key. */
  readonly #namespace: string
  readonly #proofs = new BackgroundProofs()

  /** @throws ConfigurationError */
  constructor(parts: RootParts) {
    const { modules, moduleRef, name, observer, options, pressure, slicer, store, watch, writes } = parts
    if (name !== undefined && options.eventLoop) {
      throw invalidOptionError('eventLoop', options.eventLoop, 'it in the options of the unnamed root only')
    }
    this.#parts = parts
    this.#namespace = namespaceOf(options, name)
    this.#caches = new CacheRegistry(
      { ...options, namespace: this.#namespace, ...nestLog(this.#logger) },
      {
        observer,
        store,
        writes,
        pressure,
        slicer,
        clientOf: (definition) => resolvePrisma(options.prisma, moduleRef, definition),
        runLoad: (loading, load) => watch.run(loading, load),
        followState: (option) => this.#followState(option),
        otherLosses: (prisma) => unextendedClients(prisma, modules),
      },
    )
  }

  get distrusted(): readonly string[] {
    return this.#caches.caches.flatMap(({ cache, definition }) =>
      cache?.distrustsL1 ? [definition.name] : [],
    )
  }

  get follower(): FollowerReport | undefined | null {
    const { follow } = this.#parts
    return follow ? (follow.watch.report ?? null) : undefined
  }

  /** What there is to see of the caches, once they are bound. */
  get [inspectedRoot](): InspectedRoot {
    const { follow, metrics, name, options, store, writes } = this.#parts
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
    verifyImportedOnce(this.#parts.modules, EventLoopModule)
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
    const { follow, moduleRef, options } = this.#parts
    const prisma = findPrisma(options.prisma, moduleRef)
    await this.#caches.start(prisma, prisma && resolvePrimary(options, prisma, moduleRef))
    await follow?.start()
  }

  #report(): void {
    const { name, options, store } = this.#parts
    const prisma = this.#prisma
    const { line, warnings } = startReportOf({
      name,
      namespace: this.#namespace,
      caches: this.#caches.caches.map(({ definition }) => definition),
      prisma: prisma && answeredClientOf(prisma),
      database: this.#caches.database,
      store,
      atRest: options.atRest && AtRest.of(options.atRest),
    })
    this.#logger.log(line)
    for (const warning of warnings) this.#logger.warn(warning)
  }

  onApplicationBootstrap(): void {
    for (const { cache } of this.#caches.caches) if (cache) this.#proofs.add(cache)
    this.#parts.warm?.start(() => this.#cachesByName())
  }

  async onApplicationShutdown(): Promise<void> {
    this.#proofs.stop()
    await this.#parts.warm?.stop()
    await this.#parts.follow?.stop()
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
    const { moduleRef, options } = this.#parts
    return this.#caches.caches.find(({ prisma }) => prisma)?.prisma ?? findPrisma(options.prisma, moduleRef)
  }

  /**
   * Nest silently uses the last of two roots with the same name, and two with the same namespace would share rows. Each root
   * compares all of them, so that the start fails before any has connected.
   */
  #refuseDuplicateRoots(): void {
    const registries = this.#allRegistries
    for (const [i, one] of registries.entries()) {
      for (const other of registries.slice(i + 1)) {
        const name = one.#parts.name === undefined ? 'without a name' : `named "${one.#parts.name}"`
        if (other.#parts.name === one.#parts.name) throw duplicateRootError(`there are two roots ${name}`)
        if (other.#namespace === one.#namespace)
          throw duplicateRootError(
            `two roots have the namespace "${one.#namespace}", and therefore the same keys for different databases`,
          )
      }
    }
  }

  /** Those of all roots of the application. */
  get #allRegistries(): readonly ModelCacheRegistry[] {
    const modules = [...this.#parts.modules.values()]
    const instances = new Set(
      modules.flatMap(({ providers }) => [...providers.values()].map(({ instance }) => instance)),
    )
    return [...instances].filter((instance) => instance instanceof ModelCacheRegistry)
  }

  /** @throws ConfigurationError when nobody can follow */
  #followState(option: string): FollowReports | undefined {
    const { follow, options } = this.#parts
    if (!follow) {
      throw invalidOptionError(
        option,
        'required',
        '`follow` in ModelCacheModule.forRoot, such as followPostgres({ url }) of @model-cache/follow, or no such option',
      )
    }
    return options.follow?.onGap === 'bypass' ? follow.watch : undefined
  }
}
