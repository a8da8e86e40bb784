import type { Registry } from 'prom-client'

/** The metrics of the registry at one moment. Except for `follow`, they are counters, which never decrease. */
export interface MetricsSnapshot {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Event-loop lag: the cumulative number of samples by upper bound in seconds. */
  readonly lag: ReadonlyMap<number, number>
  /** Number of reads of rows by the layer that answered them. */
  readonly answered: ReadonlyMap<Layer, number>
  /** The same for the entries of each lookup, by names such as `Lot.open`. */
  readonly lookups: ReadonlyMap<string, ReadonlyMap<Layer, number>>
  /** Seconds spent on decoding, by model. */
  readonly decoding: ReadonlyMap<string, number>
  /** Undefined if the process does not follow the database. */
  readonly follow: FollowSnapshot | undefined
}

/** How far the writes past Prisma are followed. */
export interface FollowSnapshot {
  /** Whether some process follows. */
  readonly isConnected: boolean
  /** Undefined while nobody follows. */
  readonly lagSeconds: number | undefined
  readonly lagBytes: number | undefined
  /** Changes that this process has read, by kind. */
  readonly events: Readonly<Record<string, number>>
  /** How often this process became the follower. */
  readonly takeovers: number
}

/** In lookup order. */
export const LAYERS = ['tick', 'l1', 'store', 'source'] as const

export type Layer = (typeof LAYERS)[number]

/** Outcomes that end a read. After a miss, the next layer is read. */
const ANSWERED = new Set(['coalesced', 'hit', 'not_found'])

interface Value {
  readonly value: number
  readonly metricName?: string
  readonly labels: Readonly<Partial<Record<string, string | number>>>
}

export async function takeSnapshot(registry: Registry): Promise<MetricsSnapshot> {
  const [lag, reads, sync, follow] = await Promise.all([
    valuesOf(registry, 'event_loop_lag_seconds'),
    valuesOf(registry, 'model_cache_reads_total'),
    valuesOf(registry, 'model_cache_sync_seconds'),
    takeFollow(registry),
  ])
  const isBucket = ({ metricName }: Value) => metricName === 'event_loop_lag_seconds_bucket'
  const isDecoding = ({ metricName, labels }: Value) =>
    metricName === 'model_cache_sync_seconds_sum' && labels.op === 'decode'
  const isAnswer = ({ labels }: Value) => ANSWERED.has(String(labels.outcome))
  const answers = Map.groupBy(reads.filter(isAnswer), lookupOf)
  const rows = answers.get(undefined) ?? []
  answers.delete(undefined)
  const byLayer = (values: readonly Value[]) => sumBy(values, ({ layer }) => layer as Layer)
  return {
    at: Date.now(),
    lag: sumBy(lag.filter(isBucket), ({ le }) => (le === '+Inf' ? Infinity : Number(le))),
    answered: byLayer(rows),
    lookups: new Map([...answers].map(([name, values]) => [name!, byLayer(values)])),
    decoding: sumBy(sync.filter(isDecoding), ({ model }) => String(model)),
    follow,
  }
}

async function takeFollow(registry: Registry): Promise<FollowSnapshot | undefined> {
  const names = ['connected', 'lag_seconds', 'lag_bytes', 'events_total', 'takeovers_total']
  const [connected, lagSeconds, lagBytes, events, takeovers] = await Promise.all(
    names.map((name) => valuesOf(registry, `model_cache_follow_${name}`)),
  )
  if (!connected?.[0]) return undefined
  return {
    isConnected: connected[0].value === 1,
    lagSeconds: lagSeconds?.[0]?.value,
    lagBytes: lagBytes?.[0]?.value,
    events: Object.fromEntries((events ?? []).map(({ labels, value }) => [String(labels.kind), value])),
    takeovers: takeovers?.[0]?.value ?? 0,
  }
}

const lookupOf = ({ labels: { model, lookup } }: Value): string | undefined =>
  lookup ? `${model}.${lookup}` : undefined

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
