import type { Metric, Registry } from 'prom-client'
import { metricIn } from './metric.js'

export interface TalliedAbout {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
  /** Called before each scrape: what is still to be counted is counted then. */
  readonly beforeRead?: () => void
}

type Labels = Readonly<Record<string, string | number>>

/** A value as prom-client's metrics tell it. */
interface Sample {
  readonly metricName?: string
  readonly labels: Labels
  readonly value: number
}

/** What one combination of labels has counted. */
interface Tally {
  samples(name: string, labels: Labels): readonly Sample[]
  reset(): void
}

export class Count implements Tally {
  #total = 0

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

export class Distribution implements Tally {
  readonly #bounds: readonly number[]
  /** Of each bucket alone; the last is what exceeds all bounds. */
  readonly #counts: Float64Array
  #sum = 0

  /** @param bounds the upper ones of the buckets, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++
    this.#counts[bucket]! += 1
    this.#sum += value
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

/**
 * A metric in a registry of prom-client whose series count for themselves, to be read at a scrape. prom-client's own check, copy
 * and hash the labels of each observation, which takes many times as long as to count it, in the midst of what is measured.
 */
export class PreAggregated<Series extends Tally> {
  readonly type: 'counter' | 'histogram'
  /** How prom-client adds up the metrics of several processes. */
  readonly aggregator = 'sum'
  readonly help: string
  readonly labelNames: readonly string[]
  /** Replaced by a registry of OpenMetrics, which names counters otherwise. */
  name: string
  readonly #begin: () => Series
  readonly #beforeRead: (() => void) | undefined
  readonly #series = new Map<string, { readonly labels: Labels; readonly series: Series }>()

  constructor(type: 'counter' | 'histogram', about: TalliedAbout, begin: () => Series) {
    this.type = type
    this.name = about.name
    this.help = about.help
    this.labelNames = about.labelNames ?? []
    this.#beforeRead = about.beforeRead
    this.#begin = begin
    // The only one there is: it is 0 until it counts, not missing.
    if (this.labelNames.length === 0) this.series()
  }

  /**
   * The series with these values of the labels, in the order of their names; it lacks those of which no value is given. From now on it is
   * part of each scrape. To be kept by who counts: finding it takes longer than using it.
   */
  series(...values: readonly string[]): Series {
    const key = values.length === 1 ? values[0]! : JSON.stringify(values)
    let found = this.#series.get(key)
    if (!found) {
      const labels = Object.fromEntries(values.map((value, i) => [this.labelNames[i]!, value]))
      this.#series.set(key, (found = { labels, series: this.#begin() }))
    }
    return found.series
  }

  /** What a registry of prom-client asks of its metrics. */
  async get() {
    this.#beforeRead?.()
    const { name, help, type, aggregator } = this
    const values = [...this.#series.values()].flatMap(({ labels, series }) => series.samples(name, labels))
    return { name, help, type, aggregator, values }
  }

  /** What `registry.resetMetrics()` asks. */
  reset(): void {
    for (const { series } of this.#series.values()) series.reset()
  }
}

/** @throws InvalidOptionError when the registry has another metric of this name */
export function counterIn(registry: Registry, about: TalliedAbout): PreAggregated<Count> {
  return talliedIn(registry, about, () => new PreAggregated('counter', about, () => new Count()))
}

/**
 * @param bounds the upper ones of the buckets, ascending
 * @throws InvalidOptionError when the registry has another metric of this name
 */
export function histogramIn(
  registry: Registry,
  bounds: readonly number[],
  about: TalliedAbout,
): PreAggregated<Distribution> {
  return talliedIn(
    registry,
    about,
    () => new PreAggregated('histogram', about, () => new Distribution(bounds)),
  )
}

function talliedIn<Series extends Tally>(
  registry: Registry,
  { name, labelNames = [] }: TalliedAbout,
  make: () => PreAggregated<Series>,
): PreAggregated<Series> {
  return metricIn(registry, PreAggregated<Series>, name, labelNames, () => {
    const metric = make()
    // prom-client asks of a metric what is here; its types know its own classes only.
    registry.registerMetric(metric as unknown as Metric)
    return metric
  })
}
