import { counterIn, type MetricsRegistry } from '@model-cache/event-loop/internal'
import type { WarmResult } from '../warm/warm-counts.js'

export interface WarmMetricsOptions {
  /** Prefix of every metric name. @default none */
  readonly prefix: string | undefined
  /** Value of the label `root` of every series. @default series without that label */
  readonly root: string | undefined
}

/** Counts the ids with which this process has warmed caches up. */
export function createWarmMetrics(
  registry: MetricsRegistry,
  { prefix = '', root }: WarmMetricsOptions,
): (cache: string, result: WarmResult, count: number) => void {
  const ids = counterIn(registry, {
    name: `${prefix}model_cache_warmed_ids_total`,
    help: 'Ids from another region or namespace that this process has read to warm caches up, by result (stored, present, not_found, skipped, refused, failed)',
    labelNames: ['model', 'result', 'root'],
  })
  return (cache, result, count) => ids.series(cache, result, root).add(count)
}
