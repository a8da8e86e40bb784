import { invalidMetricNameError, otherMetricError } from '../errors.js'
import type { MetricsRegistry, Sample } from './registry.js'

/** Bucket bounds in seconds, from 0.1 ms to 10 s. */
export const durationBuckets = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

export interface MetricDescription {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
  /** How prom-client aggregates the metric over the processes of a cluster of Node. @default 'sum' */
  readonly aggregator?: 'sum' | 'max'
  /** Called before each scrape, to count what is still pending. */
  readonly beforeRead?: () => void
}

type Labels = Readonly<Record<string, string | number>>

/** The aggregate of one combination of label values. */
interface Aggregate {
  /** The count, the sum of what was observed, or the current value. */
  readonly total: number
  samples(name: string, labels: Labels): readonly Sample[]
  reset(): void
}

export class Count implements Aggregate {
  #total = 0

  get total(): number {
    return this.#total
  }

  add(count: number): void {
    this.#total += count
  }

  samples(_name: string, labels: Labels): readonly Sample[] {
    return [{ labels, value: this.#total }]
  }

  reset(): void {
    this.#total = 0
  }
}

/** A count of what is so now, such as servers that are bypassed: it goes down by what it has gone up by, so it survives a reset. */
class Gauge extends Count {
  override reset(): void {}
}

export class Distribution implements Aggregate {
  readonly #bounds: readonly number[]
  /** Counts per bucket, not cumulative; the last bucket is above all bounds. */
  readonly #counts: Float64Array
  #sum = 0

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  get total(): number {
    return this.#sum
  }

  observe(value: number, times = 1): void {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++
    this.#counts[bucket]! += times
    this.#sum += value * times
  }

  samples(name: string, labels: Labels): readonly Sample[] {
    let below = 0
    const buckets = Array.from(this.#counts, (count, bucket) => ({
      metricName: `${name}_bucket`,
      labels: { le: this.#bounds[bucket] ?? '+Inf', ...labels },
      value: (below += count),
    }))
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: below },
    ]
  }

  reset(): void {
    this.#counts.fill(0)
    this.#sum = 0
  }
}

/** A value that is read at each scrape: of several applications in a process, the highest. */
export class Reading implements Aggregate {
  readonly #reads = new Set<() => number | undefined>()

  /**
   * @param read returns undefined for no sample
   * @returns a function that ends it
   */
  add(read: () => number | undefined): () => void {
    this.#reads.add(read)
    return () => void this.#reads.delete(read)
  }

  get total(): number {
    return this.#value ?? 0
  }

  get #value(): number | undefined {
    const values = [...this.#reads].flatMap((read) => read() ?? [])
    return values.length > 0 ? Math.max(...values) : undefined
  }

  samples(_name: string, labels: Labels): readonly Sample[] {
    const value = this.#value
    return value === undefined ? [] : [{ labels, value }]
  }

  reset(): void {}
}

type MetricType = 'counter' | 'gauge' | 'histogram'

/**
 * A pre-aggregated metric for a registry of prom-client: its series count by themselves and are read at a scrape.
 * prom-client's own metrics check, copy and hash the labels of each observation, which costs many times the count itself.
 */
export class PreAggregated<Series extends Aggregate> {
  readonly type: MetricType
  readonly aggregator: 'sum' | 'max'
  readonly help: string
  readonly labelNames: readonly string[]
  /** Writable, since a registry for OpenMetrics renames counters. */
  name: string
  readonly #begin: () => Series
  readonly #beforeRead: (() => void) | undefined
  readonly #series = new Map<string | undefined, { readonly labels: Labels; readonly series: Series }>()

  constructor(type: MetricType, about: MetricDescription, begin: () => Series) {
    this.type = type
    this.name = about.name
    this.help = about.help
    this.labelNames = about.labelNames ?? []
    this.aggregator = about.aggregator ?? 'sum'
    this.#beforeRead = about.beforeRead
    this.#begin = begin
    // A metric without labels has one series, which starts at 0 instead of being missing.
    if (this.labelNames.length === 0) this.series()
  }

  /**
   * Returns the series with these label values, in the order of `labelNames`; labels without a value are omitted, which is
   * the same to Prometheus as an empty value. From now on the series is part of each scrape. Keep the result: to find it costs
   * more than a count.
   */
  series(...values: readonly (string | undefined)[]): Series {
    const key = values.length === 1 ? values[0] : JSON.stringify(values)
    let found = this.#series.get(key)
    if (!found) {
      const labels: Record<string, string> = {}
      for (const [i, value] of values.entries()) if (value !== undefined) labels[this.labelNames[i]!] = value
      this.#series.set(key, (found = { labels, series: this.#begin() }))
    }
    return found.series
  }

  /** The total of each series, without the buckets of a histogram: these are what makes a scrape expensive. */
  *totals(): Iterable<{ readonly labels: Labels; readonly total: number }> {
    for (const { labels, series } of this.#series.values()) yield { labels, total: series.total }
  }

  /** Called by the registry at each scrape. */
  async get() {
    this.#beforeRead?.()
    const { name, help, type, aggregator } = this
    const values = [...this.#series.values()].flatMap(({ labels, series }) => series.samples(name, labels))
    return { name, help, type, aggregator, values }
  }

  /** Called by `registry.resetMetrics()`. */
  reset(): void {
    for (const { series } of this.#series.values()) series.reset()
  }
}

/** @throws EventLoopError if no metric may have this name, or the registry has a different one with it */
export function counterIn(
  registry: MetricsRegistry,
  about: MetricDescription,
  type: 'counter' | 'gauge' = 'counter',
): PreAggregated<Count> {
  return metricIn(registry, type, about, () => (type === 'gauge' ? new Gauge() : new Count()))
}

/** @throws EventLoopError if no metric may have this name, or the registry has a different one with it */
export function readingIn(
  registry: MetricsRegistry,
  about: MetricDescription,
  type: 'counter' | 'gauge' = 'gauge',
): PreAggregated<Reading> {
  const aggregator = type === 'gauge' ? 'max' : 'sum'
  return metricIn(registry, type, { aggregator, ...about }, () => new Reading())
}

/**
 * @param bounds upper bounds of the buckets, ascending
 * @throws EventLoopError if no metric may have this name, or the registry has a different one with it
 */
export function histogramIn(
  registry: MetricsRegistry,
  bounds: readonly number[],
  about: MetricDescription,
): PreAggregated<Distribution> {
  return metricIn(registry, 'histogram', about, () => new Distribution(bounds))
}

/** Returns the metric with this name, created if the registry has none: two applications in a process may share a registry. */
function metricIn<Series extends Aggregate>(
  registry: MetricsRegistry,
  type: MetricType,
  about: MetricDescription,
  begin: () => Series,
): PreAggregated<Series> {
  const { name, labelNames = [] } = about
  if (!/^[A-Za-z_:][\w:]*$/.test(name)) throw invalidMetricNameError(name)
  const known: unknown = registry.getSingleMetric(name)
  if (!known) {
    const metric = new PreAggregated(type, about, begin)
    // The class has the members that prom-client uses; its types accept only its own classes.
    registry.registerMetric(metric as never)
    return metric
  }
  const isSame = known instanceof PreAggregated && known.type === type
  if (isSame && String(known.labelNames) === String(labelNames)) return known as PreAggregated<Series>
  throw otherMetricError(name)
}
