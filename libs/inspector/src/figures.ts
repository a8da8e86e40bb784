import type { Layer } from 'model-cache/internal'
import type { Counts } from './counts.js'
import type { BoundedQuantiles, Figures, Quantiles } from './report.js'

/** The figures that follow from counts over some seconds. */
export function figuresOf(counts: Counts, seconds: number): Figures {
  const answered = { tick: 0, l1: 0, store: 0, source: 0, ...counts.answered } satisfies Record<Layer, number>
  const reads = total(answered)
  const { failed = 0, loaded = 0, timed_out: timedOut = 0 } = counts.loads ?? {}
  const { answered: fromCache = 0, result: results = 0, shadowed = 0, ...bypassed } = counts.queries ?? {}
  return {
    seconds,
    answered,
    reads,
    hitRatio: reads === 0 ? null : (reads - answered.source) / reads,
    loads: loaded + failed,
    failedLoads: failed,
    timedOutLoads: timedOut,
    hitMs: boundedQuantilesOf(counts.hitSeconds, 1_000),
    missMs: boundedQuantilesOf(counts.missSeconds, 1_000),
    payloadBytes: boundedQuantilesOf(counts.payloadBytes),
    compressedBytes: { before: 0, after: 0, ...counts.compressedBytes },
    misses: counts.misses ?? {},
    fills: counts.fills ?? {},
    audits: counts.audits ?? {},
    queries: { answered: fromCache, results, shadowed, bypassed },
    invalidations: total(counts.invalidations ?? {}),
    decodeMs: (counts.work?.decode ?? 0) * 1_000,
  }
}

type Buckets = Readonly<Record<string, number>> | undefined

/** A quantile, and the bounds of its bucket. */
interface Quantile {
  readonly value: number
  readonly within: readonly [number, number | null]
}

/**
 * The median and the 99th percentile of a histogram.
 *
 * @param buckets cumulative counts by upper bound
 * @param scale what to multiply bounds by
 */
export function quantilesOf(buckets: Buckets, scale = 1): Quantiles {
  const [p50, p99] = quantiles(buckets, scale)
  return p50 && p99 ? { p50: p50.value, p99: p99.value } : null
}

/** As {@link quantilesOf}, with what is known of them for sure. */
export function boundedQuantilesOf(buckets: Buckets, scale = 1): BoundedQuantiles {
  const [p50, p99] = quantiles(buckets, scale)
  if (!p50 || !p99) return null
  return { p50: p50.value, p99: p99.value, p50Within: p50.within, p99Within: p99.within }
}

function quantiles(buckets: Buckets, scale: number): readonly Quantile[] {
  const bounds = Object.entries(buckets ?? {})
    .map(([bound, count]) => [bound === '+Inf' ? Infinity : Number(bound) * scale, count] as const)
    .toSorted(([one], [other]) => one - other)
  const count = bounds.at(-1)?.[1] ?? 0
  return count > 0 ? [quantile(bounds, 0.5 * count), quantile(bounds, 0.99 * count)] : []
}

/** Interpolated within a bucket, as `histogram_quantile` of Prometheus does; above all bounds, the highest of them. */
function quantile(bounds: readonly (readonly [bound: number, count: number])[], rank: number): Quantile {
  const index = bounds.findIndex(([, count]) => count >= rank)
  const [lower, below] = bounds[index - 1] ?? [0, 0]
  const [upper, count] = bounds[index]!
  if (upper === Infinity) return { value: lower, within: [lower, null] }
  return { value: lower + ((rank - below) / (count - below)) * (upper - lower), within: [lower, upper] }
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
