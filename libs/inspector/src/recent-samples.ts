import { type MetricsRegistry, PreAggregated } from '@model-cache/event-loop/internal'
import type { InspectedRoot, Layer } from 'model-cache/internal'
import { answers, type Counts, growthOf } from './counts.js'
import { quantilesOf } from './figures.js'
import type { ChartSample } from './report.js'

const everyMs = 2_000
/** Samples that are kept: those of the last minute. */
export const maxSamples = 30
/** Caches whose decoding a sample has, at most: those with the most. */
const maxDecoding = 8

/** What the charts show of a time. */
type Taken = Omit<ChartSample, 'agoMs'> & { readonly atMs: number }

/**
 * Samples what the charts show, whether or not somebody looks, so that the page has the minute before it was opened. Reads no more than
 * that: a full look at all metrics costs a large application many times as much.
 */
export class RecentSamples {
  readonly #roots: readonly InspectedRoot[]
  #taken: Taken[] = []
  #last: { readonly atMs: number; readonly counts: Counts } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(roots: readonly InspectedRoot[]) {
    this.#roots = roots
  }

  /** The samples of the last minute, the oldest first. */
  get samples(): readonly ChartSample[] {
    const nowMs = performance.now()
    return this.#taken.map(({ atMs, ...sample }) => ({ ...sample, agoMs: Math.round(nowMs - atMs) }))
  }

  /** Does not keep the process alive. */
  start(): void {
    // A metric of the application that fails is a gap in the charts, and nothing else.
    const take = (): void => void this.take().catch(() => {})
    this.#timer = setInterval(take, everyMs).unref()
    take()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Takes a sample of the time since the last one. */
  async take(): Promise<void> {
    const atMs = performance.now()
    const counts = await chartCountsOf(this.#roots)
    const last = this.#last
    this.#last = { atMs, counts }
    if (!last) return
    const sample = sampleOf(growthOf(last.counts, counts), (atMs - last.atMs) / 1_000)
    this.#taken = [...this.#taken.slice(1 - maxSamples), { ...sample, atMs }]
  }
}

function sampleOf({ answered, lagSeconds, work = {} }: Counts, seconds: number): Omit<Taken, 'atMs'> {
  const decoding = Object.entries(work)
    .filter(([, spent]) => spent > 0)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, maxDecoding)
  return {
    seconds: rounded(seconds),
    lagMs: quantilesOf(lagSeconds, 1_000),
    answered: { tick: 0, l1: 0, store: 0, source: 0, ...answered } satisfies Record<Layer, number>,
    decodeMs: Object.fromEntries(decoding.map(([name, spent]) => [name, rounded(spent * 1_000)])),
  }
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** Counts the rows of all caches together, with the seconds of decoding as `work` by cache. */
async function chartCountsOf(roots: readonly InspectedRoot[]): Promise<Counts> {
  const counts = { answered: {}, work: {} } satisfies Record<string, Record<string, number>>
  for (const { metrics, name: root } of roots) {
    const totalsOf = (metric: string) => totalsIn(metrics.registry, metrics.prefix + metric, root)
    for (const { labels, total } of totalsOf('model_cache_reads_total')) {
      if (answers.has(String(labels.outcome))) add(counts.answered, labels.layer, total)
    }
    for (const { labels, total } of totalsOf('model_cache_sync_seconds')) {
      if (labels.op === 'decode') add(counts.work, labels.model, total)
    }
  }
  // All roots of an application share the event loop, which the unnamed one exports.
  const { prefix, registry } = roots.find(({ name }) => name === undefined)!.metrics
  const lag = await registry.getSingleMetric(`${prefix}event_loop_lag_seconds`)?.get()
  const buckets = (lag?.values ?? []).filter(({ labels }) => 'le' in labels)
  const lagSeconds = Object.fromEntries(buckets.map(({ labels, value }) => [String(labels.le), value]))
  return { ...counts, lagSeconds }
}

type Total = { readonly labels: Readonly<Partial<Record<string, string | number>>>; readonly total: number }

function totalsIn(registry: MetricsRegistry, name: string, root: string | undefined): readonly Total[] {
  const metric: unknown = registry.getSingleMetric(name)
  if (!(metric instanceof PreAggregated)) return []
  return [...metric.totals()].filter(
    ({ labels }) => labels.root === root && labels.lookup === undefined,
  ) as readonly Total[]
}

function add(counts: Record<string, number>, name: unknown, count: number): void {
  counts[String(name)] = (counts[String(name)] ?? 0) + count
}
