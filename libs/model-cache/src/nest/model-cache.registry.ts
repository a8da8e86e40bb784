import {
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common'
import type { ModuleRef, ModulesContainer } from '@nestjs/core'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { LoadPermits } from '../cache/load/load-permits.js'
import { createLoadPermits } from '../cache/load/load-permits.js'
import type { ModelCache } from '../cache/model-cache.js'
import type { CacheObserver } from '../cache/telemetry/observer.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { Tick } from '../cache/read/tick.js'
import type { ModelCacheWrites } from '../consistency/writes.js'
import { createModelCache } from '../create-model-cache.js'
import { DuplicateDefinitionError, DuplicateRootError, InvalidOptionError } from '../errors.js'
import type { BlockWatch } from '../event-loop/block-watch.js'
import type { EventLoopPressure } from '../event-loop/pressure.js'
import type { Slicer } from '../event-loop/slicer.js'
import { DeferredSource } from '../source/deferred-source.js'
import type { Store } from '../store/store.js'
import { BackgroundProofs } from './background-proofs.js'
import { type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { createSource, lossesWith, resolvePrisma } from './model-cache.source.js'
import type { CacheState } from './model-cache.tokens.js'
import { unselectedSecrets } from './verify-definition.js'

interface Registration {
  readonly definition: AnyModelCacheDefinition
  readonly cache: ReadThroughCache<unknown, unknown>
  readonly source: DeferredSource<unknown, unknown>
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
  readonly observer: CacheObserver
  readonly writes: ModelCacheWrites
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

/** Creates the one cache of each definition of a root, binds their sources at start and closes them at shutdown. */
export class ModelCacheRegistry
  implements CacheState, OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown
{
  readonly #registrations = new Map<string, Registration>()
  readonly #tick = new Tick()
  readonly #loads: LoadPermits
  readonly #logger = new Logger('ModelCache')
  readonly #root: Root
  readonly #services: RootServices
  readonly #eventLoop: EventLoopServices
  readonly #application: NestApplication
  /** First part of every key. */
  readonly #namespace: string
  readonly #proofs = new BackgroundProofs()
  #initialised = false

  /** @throws InvalidOptionError */
  constructor(
    root: Root,
    services: RootServices,
    eventLoop: EventLoopServices,
    application: NestApplication,
  ) {
    const { name, options } = root
    if (name !== undefined && options.eventLoop) {
      throw new InvalidOptionError(
        'eventLoop',
        options.eventLoop,
        'it in the options of the unnamed root only',
      )
    }
    this.#root = root
    this.#services = services
    this.#eventLoop = eventLoop
    this.#application = application
    this.#namespace = namespaceOf(options, name)
    this.#loads = createLoadPermits(options.maxConcurrentLoads)
  }

  get distrusted(): readonly string[] {
    return [...this.#registrations.values()].flatMap(({ cache, definition }) =>
      cache.distrustsL1 ? [definition.name] : [],
    )
  }

  async newSchemas(): Promise<ReadonlyMap<string, Date>> {
    const waits = [...this.#registrations.values()].map(
      async ({ cache, definition }) => [definition.name, await cache.fillsFrom()] as const,
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
    if (known && known.definition !== definition) throw new DuplicateDefinitionError(name)
    if (known) return known.cache
    const source = new DeferredSource<unknown, unknown>(name)
    const cache = createModelCache<unknown, unknown>(definition, {
      store: this.#services.store,
      source,
      tick: this.#tick,
      slicer: this.#eventLoop.slicer,
      loads: this.#loads,
      pressure: this.#eventLoop.pressure,
      writes: this.#services.writes,
      observer: this.#services.observer,
      warn: (message) => this.#logger.warn(message),
      info: (message) => this.#logger.log(message),
      namespace: this.#namespace,
      ...(this.#root.options.consistency && { consistency: this.#root.options.consistency }),
      ...(this.#root.options.audit && { audit: this.#root.options.audit }),
      ...(this.#root.options.buckets !== undefined && { buckets: this.#root.options.buckets }),
    })
    const registration = { definition, cache, source }
    this.#registrations.set(name, registration)
    // Lazily loaded modules register after the start.
    if (this.#initialised) {
      try {
        await this.#bind(registration)
      } catch (error) {
        this.#registrations.delete(name)
        throw error
      }
      this.#proofs.add(cache)
    }
    return cache
  }

  /** Binds the sources here, since providers are created in any order and the Prisma client exists only now. */
  async onModuleInit(): Promise<void> {
    this.#refuseDuplicateRoots()
    await Promise.all([...this.#registrations.values()].map((registration) => this.#bind(registration)))
    this.#initialised = true
    await this.#verifyWrites()
    // Last, so that a start that fails on its configuration leaves no connection open.
    if (!this.#root.options.store) await this.#services.store.connect()
    for (const advice of (await this.#services.store.advice?.()) ?? []) this.#logger.warn(advice)
    await Promise.all([...this.#registrations.values()].map(({ cache }) => cache.join()))
  }

  onApplicationBootstrap(): void {
    for (const { cache } of this.#registrations.values()) this.#proofs.add(cache)
  }

  async onApplicationShutdown(): Promise<void> {
    this.#proofs.stop()
    await Promise.all([...this.#registrations.values()].map(({ cache }) => cache.close()))
    await this.#services.writes.close()
    if (!this.#root.options.store) await this.#services.store.close()
  }

  async #verifyWrites(): Promise<void> {
    const [first] = this.#registrations.values()
    const prisma =
      first && resolvePrisma(this.#root.options.prisma, this.#application.moduleRef, first.definition)
    if (!prisma) return
    for (const loss of await lossesWith(prisma, this.#services.writes, this.#root.options))
      this.#logger.warn(`${loss}.`)
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
        if (other.#root.name === one.#root.name) throw new DuplicateRootError(`there are two roots ${name}`)
        if (other.#namespace === one.#namespace)
          throw new DuplicateRootError(
            `two roots have the namespace "${one.#namespace}", and therefore the same keys for different databases`,
          )
      }
    }
  }

  #warnOfSecrets({ cache, definition }: Registration): void {
    const { name } = definition
    const fields = unselectedSecrets(definition, cache.plan)
    if (fields.length === 0) return
    this.#logger.warn(
      `ModelCache "${name}": ${fields.join(', ')} may be secret, and will be copied to the store. Remove ` +
        `${fields.length === 1 ? 'it' : 'them'} from the schema and from the loaded rows, or list ` +
        `${fields.length === 1 ? 'it' : 'them'} in \`select\` if this is intended.`,
    )
  }

  async #bind(registration: Registration): Promise<void> {
    const { cache, definition, source } = registration
    const prisma = resolvePrisma(this.#root.options.prisma, this.#application.moduleRef, definition)
    const { load, ...rest } = await createSource(definition, cache.plan, prisma)
    this.#warnOfSecrets(registration)
    source.bind({
      ...rest,
      load: (ids, client) => this.#eventLoop.watch.run(`${definition.name} load`, () => load(ids, client)),
    })
  }
}
