import type { FactoryProvider } from '@nestjs/common'
import { BlockWatch } from '../block-watch.js'
import { LagSampler } from '../lag-sampler.js'
import { EventLoopPressure } from '../pressure.js'
import { Shedding } from '../shedding.js'
import { createEventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { registryOf } from '../metrics/registry.js'
import { EVENT_LOOP_OPTIONS, type EventLoopModuleOptions } from './event-loop.options.js'
import { EVENT_LOOP_METRICS } from './event-loop.tokens.js'

/** One sampler, watch and set of metrics for the whole process. */
export const eventLoopProviders: FactoryProvider[] = [
  {
    provide: LagSampler,
    inject: [EVENT_LOOP_OPTIONS],
    useFactory: (options: EventLoopModuleOptions) => new LagSampler(options),
  },
  {
    provide: EventLoopPressure,
    inject: [LagSampler],
    useFactory: (sampler: LagSampler) => new EventLoopPressure(sampler),
  },
  {
    provide: BlockWatch,
    inject: [EVENT_LOOP_OPTIONS, LagSampler],
    useFactory: (options: EventLoopModuleOptions, sampler: LagSampler) => new BlockWatch(sampler, options),
  },
  {
    provide: Shedding,
    inject: [EVENT_LOOP_OPTIONS],
    useFactory: ({ shedding }: EventLoopModuleOptions) => new Shedding(shedding),
  },
  {
    provide: EVENT_LOOP_METRICS,
    inject: [EVENT_LOOP_OPTIONS, LagSampler, EventLoopPressure, BlockWatch],
    useFactory: async (
      { registry, metricsPrefix }: EventLoopModuleOptions,
      sampler: LagSampler,
      pressure: EventLoopPressure,
      watch: BlockWatch,
    ) => createEventLoopMetrics(await registryOf(registry), { sampler, pressure, watch }, metricsPrefix),
  },
]
