import { constants, performance, PerformanceObserver } from 'node:perf_hooks'
import { type Block, type BlockWatch, noHolder } from '../block-watch.js'
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

/** An application, as others see it that have the same metrics. */
interface Application {
  readonly sampler: LagSampler
  /** When it has last counted a block, by `performance.now()`, by its holder; under `none`, one of any holder. */
  readonly blocksAtMs: Map<string, number>
}

/** The running applications of the process that share metrics, by one of these: each sees what happens to the process, and one counts it. */
const sharing = new WeakMap<object, Set<Application>>()

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
    () => catchUp(),
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
    () => catchUp(),
  )
  const gcPauses = histogram('gc_pause_seconds', 'Garbage-collection pauses, by kind', ['kind'])
  const shed = counterIn(registry, {
    name: `${prefix}event_loop_shed_requests_total`,
    help: 'Requests refused by EventLoopPressureGuard, by handler',
    labelNames: ['handler'],
  })
  const applications = sharing.get(lag) ?? new Set<Application>()
  sharing.set(lag, applications)
  const own: Application = { sampler, blocksAtMs: new Map() }
  const catchUp = (): void => applications.forEach((each) => each.sampler.catchUp())
  const isFirst = (): boolean => {
    const [first] = applications
    return first === own
  }
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
  const onLag = (seconds: number, samples: number): void => {
    if (isFirst()) allLags.observe(seconds, samples)
  }
  /** Whether another application has counted a block that has just ended, by this name; if this one has none for it, by any. */
  const isCounted = ({ holder, seconds }: Block): boolean => {
    const fromMs = performance.now() - seconds * 1_000
    const others = [...applications].filter((each) => each !== own)
    return others.some((other) => {
      other.sampler.catchUp()
      return (other.blocksAtMs.get(holder) ?? -Infinity) > fromMs
    })
  }
  watch.onBlock((block) => {
    if (isCounted(block)) return
    const { holder, seconds } = block
    for (const name of [holder, noHolder]) own.blocksAtMs.set(name, performance.now())
    blocks.series(holder).observe(seconds)
  })

  const ends: (() => void)[] = []
  return {
    observeHandlerLag: (handler, seconds) => handlerLag.series(handler).observe(seconds),
    countShed: (handler) => shed.series(handler).add(1),
    start: () => {
      applications.add(own)
      ends.push(() => applications.delete(own))
      ends.push(sampler.onLag(onLag), observeGc(gcPauses, isFirst), ...begins.map((begin) => begin()))
    },
    stop: () => {
      for (const end of ends.splice(0)) end()
    },
  }
}

/** @returns a function that ends it */
function observeGc(pauses: PreAggregated<Distribution>, isFirst: () => boolean): () => void {
  const observer = new PerformanceObserver((list) => {
    if (!isFirst()) return
    for (const entry of list.getEntries()) {
      const { kind } = (entry as unknown as { detail: { kind: number } }).detail
      pauses.series(kinds[kind] ?? 'other').observe(entry.duration / 1_000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

const elu = (): { active: number; idle: number } => performance.eventLoopUtilization()
