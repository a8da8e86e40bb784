import type { Layer } from '../cache/telemetry/observer.js'
import type { Counts } from './counts.js'
import type { Figures, Quantiles } from './report.js'

/** The figures that follow from counts over some seconds. */
export function figuresOf(counts: Counts, seconds: number): Figures {
  const answered = { tick: 0, l1: 0, store: 0, source: 0, ...counts.answered } satisfies Record<Layer, number>
  const reads = total(answered)
  const { failed = 0, loaded = 0 } = counts.loads ?? {}
  const { answered: fromCache = 0, shadowed = 0, ...bypassed } = counts.queries ?? {}
  return {
    seconds,
    answered,
    reads,
    hitRatio: reads === 0 ? null : (reads - answered.source) / reads,
    loads: loaded + failed,
    failedLoads: failed,
    hitMs: quantilesOf(counts.hitSeconds, 1_000),
    missMs: quantilesOf(counts.missSeconds, 1_000),
    payloadBytes: quantilesOf(counts.payloadBytes),
    misses: counts.misses ?? {},
    fills: counts.fills ?? {},
    audits: counts.audits ?? {},
    queries: { answered: fromCache, shadowed, bypassed },
    invalidations: total(counts.invalidations ?? {}),
    decodeMs: (counts.work?.decode ?? 0) * 1_000,
  }
}

/**
 * The median and the 99th percentile of a histogram.
 *
 * @param buckets cumulative counts by upper bound
 * @param scale what to multiply bounds by
 */
export function quantilesOf(buckets: Readonly<Record<string, number>> | undefined, scale = 1): Quantiles {
  const bounds = Object.entries(buckets ?? {})
    .map(([bound, count]) => [bound === '+Inf' ? Infinity : Number(bound), count] as const)
    .toSorted(([one], [other]) => one - other)
  const count = bounds.at(-1)?.[1] ?? 0
  if (count <= 0) return null
  return { p50: quantile(bounds, 0.5 * count) * scale, p99: quantile(bounds, 0.99 * count) * scale }
}

/** Interpolated within a bucket, as `histogram_quantile` of Prometheus does; above all bounds, the highest of them. */
function quantile(bounds: readonly (readonly [bound: number, count: number])[], rank: number): number {
  const index = bounds.findIndex(([, count]) => count >= rank)
  const [lower, below] = bounds[index - 1] ?? [0, 0]
  const [upper, count] = bounds[index]!
  if (upper === Infinity) return lower
  return lower + ((rank - below) / (count - below)) * (upper - lower)
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
