import { constants, performance, PerformanceObserver } from 'node:perf_hooks'
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { LagSampler } from '../event-loop/lag-sampler.js'
import { durationBuckets, metricIn } from './metric.js'

export interface EventLoopMetrics {
  observeHandlerLag(handler: string, seconds: number): void
  /** Begins to observe lag and garbage collection. */
  start(): void
  stop(): void
}

const kinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

/** Exports the event loop to prom-client: histograms that a scrape only reads and never resets. */
export function createEventLoopMetrics(registry: Registry, sampler: LagSampler): EventLoopMetrics {
  const histogram = (name: string, help: string, labelNames: string[] = []) =>
    metricIn(
      registry,
      Histogram,
      name,
      labelNames,
      () => new Histogram({ name, help, labelNames, buckets: durationBuckets, registers: [registry] }),
    )

  const lag = histogram(
    'event_loop_lag_seconds',
    'Delay of the event loop, with samples missed during a block filled in',
  )
  const handlerLag = histogram(
    'handler_event_loop_lag_seconds',
    'Worst event-loop delay while a handler was at work',
    ['handler'],
  )
  const gcPauses = histogram('gc_pause_seconds', 'Garbage-collection pauses by kind', ['kind'])
  metricIn(registry, Gauge, 'event_loop_utilization_ratio', [], () => utilizationGauge(registry))

  const onLag = (seconds: number): void => lag.observe(seconds)
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as unknown as { detail: { kind: number } }).detail
      gcPauses.observe({ kind: kinds[kind] ?? 'other' }, entry.duration / 1_000)
    }
  })

  return {
    observeHandlerLag: (handler, seconds) => handlerLag.observe({ handler }, seconds),
    start: () => {
      sampler.onLag(onLag)
      observer.observe({ entryTypes: ['gc'] })
    },
    stop: () => observer.disconnect(),
  }
}

/** The window over which utilisation is told is at least this long, however often somebody scrapes. */
const windowMs = 5_000

function utilizationGauge(registry: Registry): Gauge {
  let since = { atMs: performance.now(), elu: performance.eventLoopUtilization() }
  let previous = since
  return new Gauge({
    name: 'event_loop_utilization_ratio',
    help: 'Share of the last seconds in which the event loop was busy, 0 to 1',
    registers: [registry],
    collect() {
      const now = { atMs: performance.now(), elu: performance.eventLoopUtilization() }
      if (now.atMs - since.atMs >= windowMs) {
        previous = since
        since = now
      }
      this.set(performance.eventLoopUtilization(now.elu, previous.elu).utilization)
    },
  })
}
