import {
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
import { type Block, BlockWatch, noHolder } from '../event-loop/block-watch.js'
import { LagSampler } from '../event-loop/lag-sampler.js'
import { EventLoopPressure } from '../event-loop/pressure.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { EventLoopLagInterceptor } from './event-loop-lag.interceptor.js'
import { EventLoopPressureGuard } from './event-loop-pressure.guard.js'
import { ModelCacheCoreModuleClass } from './model-cache.options.js'
import { coreProviders } from './model-cache.providers.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import { EVENT_LOOP_METRICS, MODEL_CACHE_L1, MODEL_CACHE_STORE } from './model-cache.tokens.js'

/** What forRoot adds to an application, once. */
@Global()
@Module({
  providers: [
    ...coreProviders,
    ModelCacheRegistry,
    { provide: MODEL_CACHE_L1, useExisting: ModelCacheRegistry },
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
    EVENT_LOOP_METRICS,
    MODEL_CACHE_L1,
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
