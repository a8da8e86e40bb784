import { ConfigurableModuleBuilder } from '@nestjs/common'
import type { BlockWatchOptions } from '../block-watch.js'
import type { LagSamplerOptions } from '../lag-sampler.js'
import type { MetricsRegistry } from '../metrics/registry.js'
import type { SheddingOptions } from '../shedding.js'

/** How the event loop is watched, and when requests are refused. */
export interface EventLoopOptions extends LagSamplerOptions, BlockWatchOptions {
  /** How many requests {@link EventLoopPressureGuard} refuses, where the application uses that guard. */
  readonly shedding?: SheddingOptions
}

/** Options of `EventLoopModule.forRoot`. */
export interface EventLoopModuleOptions extends EventLoopOptions {
  /**
   * The registry of prom-client that gets the metrics; `false` for none, so that this package need not be installed. @default
   * prom-client's default registry
   */
  readonly registry?: MetricsRegistry | false
  /** Prefix of every metric name, such as `'shop_'`. @default none */
  readonly metricsPrefix?: string
}

export const {
  ConfigurableModuleClass: EventLoopModuleClass,
  MODULE_OPTIONS_TOKEN: EVENT_LOOP_OPTIONS,
  OPTIONS_TYPE: EVENT_LOOP_OPTIONS_TYPE,
  ASYNC_OPTIONS_TYPE: EVENT_LOOP_ASYNC_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<EventLoopModuleOptions>({ moduleName: 'EventLoop' })
  .setClassMethodName('forRoot')
  .build()
