import {
  type DynamicModule,
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Type,
} from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import { ModelCacheWrites } from '../consistency/writes.js'
import { InvalidOptionError } from '../errors.js'
import { type Block, BlockWatch, noHolder } from '../event-loop/block-watch.js'
import { LagSampler } from '../event-loop/lag-sampler.js'
import { EventLoopPressure } from '../event-loop/pressure.js'
import { Slicer } from '../event-loop/slicer.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { EventLoopLagInterceptor } from './event-loop-lag.interceptor.js'
import { EventLoopPressureGuard } from './event-loop-pressure.guard.js'
import { ModelCacheCoreModuleClass, type RootName } from './model-cache.options.js'
import { createRootProviders, eventLoopProviders } from './model-cache.providers.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import { EVENT_LOOP_METRICS, MODEL_CACHE_STATE, MODEL_CACHE_STORE } from './model-cache.tokens.js'

/** What the unnamed root adds to an application: its caches, and the event loop for all. */
@Global()
@Module({
  providers: [
    ...eventLoopProviders,
    ...createRootProviders(undefined),
    EventLoopLagInterceptor,
    EventLoopPressureGuard,
  ],
  exports: [
    ModelCacheRegistry,
    ModelCacheWrites,
    EventLoopLagInterceptor,
    EventLoopPressureGuard,
    LagSampler,
    EventLoopPressure,
    BlockWatch,
    Slicer,
    EVENT_LOOP_METRICS,
    MODEL_CACHE_STATE,
    MODEL_CACHE_STORE,
  ],
})
export class ModelCacheCoreModule
  extends ModelCacheCoreModuleClass
  implements OnModuleInit, OnApplicationShutdown
{
  readonly #logger = new Logger('ModelCache')
  readonly #namedHolders = new Set<string>()

  constructor(
    @Inject(LagSampler) private readonly sampler: LagSampler,
    @Inject(EventLoopPressure) private readonly pressure: EventLoopPressure,
    @Inject(BlockWatch) private readonly watch: BlockWatch,
    @Inject(EVENT_LOOP_METRICS) private readonly metrics: EventLoopMetrics,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    super()
  }

  onModuleInit(): void {
    this.metrics.start()
    this.pressure.start()
    this.#addClasses()
    this.watch.onBlock((block) => this.#tellOf(block))
    this.sampler.start()
  }

  async onApplicationShutdown(): Promise<void> {
    this.sampler.stop()
    this.pressure.stop()
    this.metrics.stop()
    await this.watch.stop()
  }

  #addClasses(): void {
    for (const { controllers, providers } of this.modules.values()) {
      for (const { metatype } of [...controllers.values(), ...providers.values()]) {
        // Of a factory it is the function, which makes what we do not know.
        if (metatype?.prototype) this.watch.addClass(metatype as Type)
      }
    }
  }

  /** Of the first block of each holder. */
  #tellOf({ holder, seconds, at }: Block): void {
    if (this.#namedHolders.has(holder)) return
    this.#namedHolders.add(holder)
    this.#logger.warn(
      `The event loop was blocked for ${Math.round(seconds * 1_000)} ms by ${described(holder)}, in ${at}. ` +
        'Further blocks are only counted, in event_loop_block_seconds.',
    )
  }
}

function described(holder: string): string {
  return holder === noHolder ? 'work that no handler began' : holder
}

/** What a named root adds: its caches alone. */
@Global()
@Module({})
class NamedRootModule {}

/**
 * The core module of a root. Nothing of a named one is provided under the tokens of the unnamed one.
 *
 * @param configured the core module of the unnamed root, with the options of this one
 * @throws InvalidOptionError
 */
export function rootModule(configured: DynamicModule, { name }: RootName): DynamicModule {
  if (name === undefined) return configured
  if (typeof name !== 'string' || !/^[A-Za-z][\w.-]*$/.test(name)) {
    throw new InvalidOptionError('name', name, 'a letter, then letters, digits, "_", "-" or "."')
  }
  const providers = createRootProviders(name)
  return {
    ...configured,
    module: NamedRootModule,
    providers: [...(configured.providers ?? []), ...providers],
    exports: providers.map(({ provide }) => provide),
  }
}
