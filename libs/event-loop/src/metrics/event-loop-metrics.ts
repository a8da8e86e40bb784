import { constants, performance, PerformanceObserver } from 'node:perf_hooks'
import type { BlockWatch } from '../block-watch.js'
import type { LagSampler } from '../lag-sampler.js'
import type { EventLoopPressure } from '../pressure.js'
import {
  counterIn,
  type Distribution,
  durationBuckets,
  histogramIn,
  type PreAggregated,
  readingIn,
} from './pre-aggregated.js'
import type { MetricsRegistry } from './registry.js'

export interface EventLoopMetrics {
  observeHandlerLag(handler: string, seconds: number): void
  countShed(handler: string): void
  /** Starts to observe lag, blocks and garbage collection. */
  start(): void
  stop(): void
}

export interface EventLoopSources {
  readonly sampler: LagSampler
  readonly pressure: EventLoopPressure
  readonly watch: BlockWatch
}

const kinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

/**
 * Creates the event-loop metrics in a registry of prom-client. A scrape reads them and never resets them.
 *
 * @param prefix prefix of every metric name
 */
export function createEventLoopMetrics(
  registry: MetricsRegistry,
  { sampler, pressure, watch }: EventLoopSources,
  prefix = '',
): EventLoopMetrics {
  const histogram = (name: string, help: string, labelNames: string[], beforeRead?: () => void) =>
    histogramIn(registry, durationBuckets, {
      name: prefix + name,
      help,
      labelNames,
      ...(beforeRead && { beforeRead }),
    })

  const lag = histogram(
    'event_loop_lag_seconds',
    'Lag of the event loop, including the samples that blocks prevented',
    [],
    () => sampler.catchUp(),
  )
  const handlerLag = histogram(
    'handler_event_loop_lag_seconds',
    'Worst event-loop lag while a handler was in flight, whatever caused it',
    ['handler'],
  )
  const blocks = histogram(
    'event_loop_block_seconds',
    'Blocks of the event loop of 0.1 s or more (nameBlocksFromMs), by holder',
    ['holder'],
    () => sampler.catchUp(),
  )
  const gcPauses = histogram('gc_pause_seconds', 'Garbage-collection pauses, by kind', ['kind'])
  const shed = counterIn(registry, {
    name: `${prefix}event_loop_shed_requests_total`,
    help: 'Requests refused by EventLoopPressureGuard, by handler',
    labelNames: ['handler'],
  })
  const begins: (() => () => void)[] = []
  const read = (type: 'counter' | 'gauge', name: string, help: string, value: () => number): void => {
    const reading = readingIn(registry, { name: prefix + name, help }, type).series()
    begins.push(() => reading.add(value))
  }
  read(
    'counter',
    'event_loop_active_seconds_total',
    'Time that the event loop was busy',
    () => elu().active / 1_000,
  )
  read(
    'counter',
    'event_loop_idle_seconds_total',
    'Time that the event loop was idle',
    () => elu().idle / 1_000,
  )
  read(
    'gauge',
    'event_loop_utilization_ratio',
    'Utilisation of the event loop over about the last second, 0 to 1',
    () => pressure.utilization,
  )
  read(
    'gauge',
    'event_loop_pressure_ratio',
    'Pressure on the event loop from lag and utilisation, 0 to 1',
    () => pressure.value,
  )

  const allLags = lag.series()
  const onLag = (seconds: number, samples: number): void => allLags.observe(seconds, samples)
  watch.onBlock(({ holder, seconds }) => blocks.series(holder).observe(seconds))

  const ends: (() => void)[] = []
  return {
    observeHandlerLag: (handler, seconds) => handlerLag.series(handler).observe(seconds),
    countShed: (handler) => shed.series(handler).add(1),
    start: () => {
      ends.push(sampler.onLag(onLag), observeGc(gcPauses), ...begins.map((begin) => begin()))
    },
    stop: () => {
      for (const end of ends.splice(0)) end()
    },
  }
}

const gcObservers = new WeakMap<object, Set<PerformanceObserver>>()

/** Each pause counts once, although all applications of the process that share the metric see it. @returns a function that ends it */
function observeGc(pauses: PreAggregated<Distribution>): () => void {
  const observers = gcObservers.get(pauses) ?? new Set<PerformanceObserver>()
  gcObservers.set(pauses, observers)
  const observer = new PerformanceObserver((list) => {
    const [counting] = observers
    if (counting !== observer) return
    for (const entry of list.getEntries()) {
      const { kind } = (entry as unknown as { detail: { kind: number } }).detail
      pauses.series(kinds[kind] ?? 'other').observe(entry.duration / 1_000)
    }
  })
  observers.add(observer)
  observer.observe({ entryTypes: ['gc'] })
  return () => {
    observer.disconnect()
    observers.delete(observer)
  }
}

const elu = (): { active: number; idle: number } => performance.eventLoopUtilization()
