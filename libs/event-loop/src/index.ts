/**
 * `@model-cache/event-loop`: lag, blocks and pressure of the event loop, with interceptor and guard. An application with caches has all of
 * it by `model-cache`.
 *
 * @module @model-cache/event-loop
 */

// The Nest module
export { EventLoopModule } from './nest/event-loop.module.js'
export type { EventLoopModuleOptions, EventLoopOptions } from './nest/event-loop.options.js'
export { EventLoopLagInterceptor } from './nest/event-loop-lag.interceptor.js'
export { EventLoopPressureGuard, NeverShed } from './nest/event-loop-pressure.guard.js'

// The providers of the module, for injection
export { BlockWatch, type Block, type BlockWatchOptions } from './block-watch.js'
export { type LagListener, LagSampler, type LagSamplerOptions, type SampleListener } from './lag-sampler.js'
export { EventLoopPressure, type Pressure } from './pressure.js'
export type { SheddingOptions } from './shedding.js'

// Errors
export { EventLoopError } from './errors.js'
