import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import type { AnyModelCacheDefinition } from '../cache/definition.js'
import type { LoadPermits } from '../cache/load-permits.js'
import { createLoadPermits } from '../cache/load-permits.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { CacheObserver } from '../cache/observer.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { Tick } from '../cache/tick.js'
import { ModelCacheWrites } from '../consistency/writes.js'
import { createModelCache } from '../create-model-cache.js'
import { DuplicateDefinitionError } from '../errors.js'
import { BlockWatch } from '../event-loop/block-watch.js'
import { EventLoopPressure } from '../event-loop/pressure.js'
import { Slicer } from '../event-loop/slicer.js'
import { DeferredSource } from '../source/deferred-source.js'
import type { Store } from '../store/store.js'
import { MODEL_CACHE_OPTIONS, type ModelCacheModuleOptions } from './model-cache.options.js'
import { createSource, lossesWith, resolvePrisma } from './model-cache.source.js'
import { type L1Coherence, MODEL_CACHE_OBSERVER, MODEL_CACHE_STORE } from './model-cache.tokens.js'

interface Registration {
  readonly definition: AnyModelCacheDefinition
  readonly cache: ReadThroughCache<unknown, unknown>
  readonly source: DeferredSource<unknown, unknown>
}

/** Holds the one cache of each definition, and their common life: sources at the start, draining at the end. */
@Injectable()
export class ModelCacheRegistry implements L1Coherence, OnModuleInit, OnApplicationShutdown {
  readonly #registrations = new Map<string, Registration>()
  readonly #tick = new Tick()
  readonly #slicer: Slicer
  readonly #loads: LoadPermits
  readonly #logger = new Logger('ModelCache')
  #initialised = false

  constructor(
    @Inject(MODEL_CACHE_OPTIONS) private readonly options: ModelCacheModuleOptions,
    @Inject(MODEL_CACHE_STORE) private readonly store: Store,
    @Inject(MODEL_CACHE_OBSERVER) private readonly observer: CacheObserver,
    @Inject(ModelCacheWrites) private readonly writes: ModelCacheWrites,
    @Inject(EventLoopPressure) private readonly pressure: EventLoopPressure,
    @Inject(BlockWatch) private readonly watch: BlockWatch,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
  ) {
    const slicer = new Slicer(options.eventLoop, pressure)
    this.#slicer = slicer
    watch.addInner('model-cache', () => slicer.isVisiting)
    this.#loads = createLoadPermits(options.maxConcurrentLoads)
  }

  get distrusted(): readonly string[] {
    return [...this.#registrations.values()].flatMap(({ cache, definition }) =>
      cache.distrustsL1 ? [definition.name] : [],
    )
  }

  /**
   * The cache of a definition, made at the first call.
   *
   * @throws ConfigurationError
   */
  async register(definition: AnyModelCacheDefinition): Promise<ModelCache<unknown, unknown>> {
    const { name } = definition
    const known = this.#registrations.get(name)
    if (known && known.definition !== definition) throw new DuplicateDefinitionError(name)
    if (known) return known.cache
    const source = new DeferredSource<unknown, unknown>(name)
    const cache = createModelCache<unknown, unknown>(definition, {
      store: this.store,
      source,
      tick: this.#tick,
      slicer: this.#slicer,
      loads: this.#loads,
      pressure: this.pressure,
      writes: this.writes,
      observer: this.observer,
      warn: (message) => this.#logger.warn(message),
      info: (message) => this.#logger.log(message),
      ...(this.options.namespace !== undefined && { namespace: this.options.namespace }),
      ...(this.options.consistency && { consistency: this.options.consistency }),
      ...(this.options.audit && { audit: this.options.audit }),
      ...(this.options.buckets !== undefined && { buckets: this.options.buckets }),
    })
    const registration = { definition, cache, source }
    this.#registrations.set(name, registration)
    // Modules that are loaded lazily come after the start.
    if (this.#initialised) {
      try {
        await this.#bind(registration)
      } catch (error) {
        this.#registrations.delete(name)
        throw error
      }
    }
    return cache
  }

  /** Only now is the Prisma client there for certain: providers are made in any order. */
  async onModuleInit(): Promise<void> {
    await Promise.all([...this.#registrations.values()].map((registration) => this.#bind(registration)))
    this.#initialised = true
    await this.#verifyWrites()
    // Last, so that a start that bad configuration stops leaves no connection behind.
    if (!this.options.store) await this.store.connect()
    await Promise.all([...this.#registrations.values()].map(({ cache }) => cache.join()))
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#registrations.values()].map(({ cache }) => cache.close()))
    await this.writes.close()
    if (!this.options.store) await this.store.close()
  }

  async #verifyWrites(): Promise<void> {
    const [first] = this.#registrations.values()
    const prisma = first && resolvePrisma(this.options.prisma, this.moduleRef, first.definition)
    if (!prisma) return
    for (const loss of await lossesWith(prisma, this.options.consistency?.mode ?? 'available'))
      this.#logger.warn(`${loss}.`)
  }

  async #bind({ definition, source }: Registration): Promise<void> {
    const prisma = resolvePrisma(this.options.prisma, this.moduleRef, definition)
    const { load, ...rest } = await createSource(definition, prisma)
    source.bind({
      ...rest,
      load: (ids, client) => this.watch.run(`${definition.name} load`, () => load(ids, client)),
    })
  }
}
