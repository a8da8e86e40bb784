import { Global, Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { ModelCacheWrites } from '../consistency/writes.js'
import { LagSampler } from '../event-loop/lag-sampler.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { EventLoopLagInterceptor } from './event-loop-lag.interceptor.js'
import { ModelCacheCoreModuleClass } from './model-cache.options.js'
import { coreProviders } from './model-cache.providers.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import { EVENT_LOOP_METRICS, MODEL_CACHE_STORE } from './model-cache.tokens.js'

/** What forRoot adds to an application, once. */
@Global()
@Module({
  providers: [...coreProviders, ModelCacheWrites, ModelCacheRegistry, EventLoopLagInterceptor],
  exports: [
    ModelCacheRegistry,
    ModelCacheWrites,
    EventLoopLagInterceptor,
    LagSampler,
    EVENT_LOOP_METRICS,
    MODEL_CACHE_STORE,
  ],
})
export class ModelCacheCoreModule
  extends ModelCacheCoreModuleClass
  implements OnModuleInit, OnApplicationShutdown
{
  constructor(
    @Inject(LagSampler) private readonly sampler: LagSampler,
    @Inject(EVENT_LOOP_METRICS) private readonly metrics: EventLoopMetrics,
  ) {
    super()
  }

  onModuleInit(): void {
    this.metrics.start()
    this.sampler.start()
  }

  onApplicationShutdown(): void {
    this.sampler.stop()
    this.metrics.stop()
  }
}
