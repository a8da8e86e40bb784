import { LAYERS } from './metrics-snapshot.js'
import type { FollowSnapshot, Layer, MetricsSnapshot } from './metrics-snapshot.js'

/** Shares of reads by the layer that answered, 0 to 1. */
type Shares = Readonly<Record<Layer, number>>

/** The change between two snapshots. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Event-loop lag in milliseconds. */
  readonly lag: { readonly p50: number; readonly p99: number } | null
  /** Share of the reads of rows that each layer answered. `null` if there were no reads. */
  readonly answered: Shares | null
  /** The same for the entries of each lookup, by names such as `Lot.open`. */
  readonly lookups: Readonly<Record<string, Shares | null>>
  /** Milliseconds per second spent on decoding, by model. */
  readonly decoding: Readonly<Record<string, number>>
  /** As of the last snapshot. `null` if the process does not follow the database. */
  readonly follow: FollowSnapshot | null
}

/**
 * Compares snapshots. The lag covers the last two of them, so that a block shows when it happens. Reads and
 * decoding cover all of them, because reads come in bursts.
 *
 * @param recent at least two snapshots, oldest first
 */
export function sampleOf(recent: readonly MetricsSnapshot[]): Sample {
  const first = recent[0]!
  const [previous, last] = recent.slice(-2) as [MetricsSnapshot, MetricsSnapshot]
  const lag = growth(previous.lag, last.lag)
  const seconds = (last.at - first.at) / 1_000
  const decoding = [...growth(first.decoding, last.decoding)]
  return {
    at: last.at,
    lag: (lag.get(Infinity) ?? 0) > 0 ? { p50: quantile(lag, 0.5), p99: quantile(lag, 0.99) } : null,
    answered: sharesOf(first.answered, last.answered),
    lookups: Object.fromEntries(
      [...last.lookups].map(([name, answered]) => [name, sharesOf(first.lookups.get(name), answered)]),
    ),
    decoding: Object.fromEntries(decoding.map(([model, spent]) => [model, (spent * 1_000) / seconds])),
    follow: last.follow ?? null,
  }
}

function sharesOf(
  before: ReadonlyMap<Layer, number> | undefined,
  after: ReadonlyMap<Layer, number>,
): Shares | null {
  const answered = growth(before ?? new Map(), after)
  const total = sum(answered.values())
  if (total === 0) return null
  return Object.fromEntries(LAYERS.map((layer) => [layer, (answered.get(layer) ?? 0) / total])) as Shares
}

/**
 * Returns a quantile in milliseconds, interpolated within a bucket like Prometheus' `histogram_quantile`.
 *
 * @param buckets cumulative number of samples by upper bound in seconds
 */
function quantile(buckets: ReadonlyMap<number, number>, q: number): number {
  const bounds = [...buckets.keys()].toSorted((a, b) => a - b)
  const rank = q * buckets.get(Infinity)!
  const index = bounds.findIndex((bound) => buckets.get(bound)! >= rank)
  const lower = bounds[index - 1] ?? 0
  const upper = bounds[index]!
  if (upper === Infinity) return lower * 1_000
  const below = buckets.get(lower) ?? 0
  return (lower + ((rank - below) / (buckets.get(upper)! - below)) * (upper - lower)) * 1_000
}

function growth<Key>(before: ReadonlyMap<Key, number>, after: ReadonlyMap<Key, number>): Map<Key, number> {
  return new Map([...after].map(([key, value]) => [key, value - (before.get(key) ?? 0)]))
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
