/**
 * `model-cache/event-loop`: lag, blocks and pressure of the event loop, with interceptor and guard, without any cache.
 *
 * @module model-cache/event-loop
 */

// The Nest module
export { EventLoopModule } from './event-loop/nest/event-loop.module.js'
export type { EventLoopModuleOptions, EventLoopOptions } from './event-loop/nest/event-loop.options.js'
export { EventLoopLagInterceptor } from './event-loop/nest/event-loop-lag.interceptor.js'
export { EventLoopPressureGuard, NeverShed } from './event-loop/nest/event-loop-pressure.guard.js'

// The providers of the module, for injection
export { BlockWatch, type Block, type BlockWatchOptions } from './event-loop/block-watch.js'
export {
  type LagListener,
  LagSampler,
  type LagSamplerOptions,
  type SampleListener,
} from './event-loop/lag-sampler.js'
export { EventLoopPressure, type Pressure } from './event-loop/pressure.js'
export type { SheddingOptions } from './event-loop/shedding.js'
