import type { Registry } from 'prom-client'

/** What the counters of the registry say at one moment; each only ever grows. */
export interface Reading {
  /** Milliseconds since 1970. */
  readonly at: number
  /** How many samples of event-loop lag were at most so many seconds. */
  readonly lag: ReadonlyMap<number, number>
  /** Reads by the layer that answered them. */
  readonly answered: ReadonlyMap<Layer, number>
  /** Seconds of decoding by model. */
  readonly decoding: ReadonlyMap<string, number>
}

/** In the order in which they are asked. */
export const LAYERS = ['tick', 'l1', 'store', 'source'] as const

export type Layer = (typeof LAYERS)[number]

/** Those that end a read; a miss is asked of the next layer. */
const ANSWERS = new Set(['coalesced', 'hit', 'not_found'])

interface Value {
  readonly value: number
  readonly metricName?: string
  readonly labels: Readonly<Partial<Record<string, string | number>>>
}

export async function readRegistry(registry: Registry): Promise<Reading> {
  const [lag, reads, sync] = await Promise.all([
    valuesOf(registry, 'event_loop_lag_seconds'),
    valuesOf(registry, 'model_cache_reads_total'),
    valuesOf(registry, 'model_cache_sync_seconds'),
  ])
  const isBucket = ({ metricName }: Value) => metricName === 'event_loop_lag_seconds_bucket'
  const isDecoding = ({ metricName, labels }: Value) =>
    metricName === 'model_cache_sync_seconds_sum' && labels.op === 'decode'
  const isAnswer = ({ labels }: Value) => ANSWERS.has(String(labels.outcome))
  return {
    at: Date.now(),
    lag: sumBy(lag.filter(isBucket), ({ le }) => (le === '+Inf' ? Infinity : Number(le))),
    answered: sumBy(reads.filter(isAnswer), ({ layer }) => layer as Layer),
    decoding: sumBy(sync.filter(isDecoding), ({ model }) => String(model)),
  }
}

async function valuesOf(registry: Registry, name: string): Promise<readonly Value[]> {
  const metric = await registry.getSingleMetric(name)?.get()
  return (metric?.values ?? []) as readonly Value[]
}

function sumBy<Key>(values: readonly Value[], keyOf: (labels: Value['labels']) => Key): Map<Key, number> {
  const sums = new Map<Key, number>()
  for (const { labels, value } of values) {
    const key = keyOf(labels)
    sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return sums
}
