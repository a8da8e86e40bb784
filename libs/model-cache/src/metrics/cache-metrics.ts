import {
  counterIn,
  durationBuckets,
  histogramIn,
  type MetricsRegistry,
} from '@model-cache/event-loop/internal'
import type { CacheObserver, ModelObserver } from '../cache/telemetry/observer.js'
import type { WarmResult } from '../warm/warm-counts.js'

export interface CacheMetricsOptions {
  /** Prefix of every metric name. @default none */
  readonly prefix?: string | undefined
  /** Value of the label `root` of every series. @default series without that label */
  readonly root?: string | undefined
}

/** The place of an argument in a call. */
type Place = 0 | 1 | 2

/** The places of the arguments of a call that are of a type. */
type PlaceOf<Call extends (...args: never[]) => void, Type> = {
  [At in Place]: Parameters<Call>[At] extends Type ? At : never
}[Place]

/** A metric of caches, and what a call of the method of its name on an observer counts. */
interface CacheMetric<Label extends Place = Place, Value extends Place = Place> {
  readonly name: string
  readonly help: string
  /** Beside those of the cache. */
  readonly labels?: readonly string[]
  /** The arguments of the call that are the values of {@link labels}. @default the first ones */
  readonly from?: readonly Label[]
  /** The argument that is counted, or observed. @default the call counts once */
  readonly value?: Value
  /** The buckets of a histogram; other metrics are counters. */
  readonly buckets?: readonly number[]
  /** Whether it is counted by model, and has no label for a lookup. */
  readonly isOfModel?: boolean
}

type CacheMetrics = {
  readonly [Method in keyof ModelObserver]: CacheMetric<
    PlaceOf<ModelObserver[Method], string>,
    PlaceOf<ModelObserver[Method], number>
  >
}

/** The metrics by the method of the observer. The series of a model are created in this order. */
const cacheMetrics: CacheMetrics = {
  reads: {
    name: 'model_cache_reads_total',
    help: 'Reads of rows or entries by layer (tick, l1, store, source) and outcome (coalesced, hit, miss, stale, not_found, error)',
    labels: ['layer', 'outcome'],
    value: 2,
  },
  misses: {
    name: 'model_cache_misses_total',
    help: 'Reads that the store had no usable row or entry for, by reason',
    labels: ['reason'],
    value: 1,
  },
  fills: {
    name: 'model_cache_fills_total',
    help: 'Rows or entries offered to the store, by outcome: stored, or the reason why not',
    labels: ['outcome'],
    value: 1,
  },
  readSeconds: {
    name: 'model_cache_read_seconds',
    help: 'Time from the first read of a tick to the last row or list it delivers, by outcome: hit, or miss if one had to be loaded',
    labels: ['outcome'],
    from: [2],
    value: 0,
    buckets: durationBuckets,
  },
  syncSeconds: {
    name: 'model_cache_sync_seconds',
    help: 'Synchronous work of the cache in one turn of the event loop, by operation (decode, encode, copy, load)',
    labels: ['op'],
    value: 1,
    buckets: durationBuckets,
  },
  load: {
    name: 'model_cache_load_seconds',
    help: 'Duration of loads from the source, by outcome (loaded, failed, timed_out)',
    labels: ['outcome'],
    value: 1,
    buckets: durationBuckets,
  },
  invalidations: {
    name: 'model_cache_invalidations_total',
    help: 'Requested invalidations, by kind: each id or key, or all rows of a model',
    labels: ['kind'],
    value: 1,
  },
  payloadBytes: {
    name: 'model_cache_payload_bytes',
    help: 'Size of values written to the store',
    value: 0,
    buckets: [128, 512, 2_048, 8_192, 32_768, 131_072, 524_288, 2_097_152],
  },
  unopenedValues: {
    name: 'model_cache_unopened_values_total',
    help: 'Encrypted or compressed values of the store that could not be opened, by reason (unknown_key, tampered, damaged)',
    labels: ['reason'],
    value: 1,
    isOfModel: true,
  },
  compressedBytes: {
    name: 'model_cache_compressed_bytes_total',
    help: 'Bytes of values that were written to the store by a cache that compresses, by stage (before, after)',
    labels: ['stage'],
    value: 1,
    isOfModel: true,
  },
  largePayloads: {
    name: 'model_cache_large_rows_total',
    help: 'Rows or entries read or written whose payload has largePayloadBytes or more',
    value: 0,
  },
  hotIds: {
    name: 'model_cache_hot_ids_total',
    help: 'Rows or entries that L1 began to keep as they are read often (promoted), or ceased to keep (demoted)',
    labels: ['change'],
    value: 1,
  },
  l1Evictions: {
    name: 'model_cache_l1_evictions_total',
    help: 'Rows or entries that L1 dropped before their time, because of maxEntries or maxBytes',
    value: 0,
  },
  batchKeys: {
    name: 'model_cache_batch_keys',
    help: 'Distinct ids or keys read in one tick',
    value: 0,
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000],
  },
  fences: {
    name: 'model_cache_fences_total',
    help: 'Fenced rows of writes, by outcome (fenced, released, unknown_end, store_error)',
    labels: ['outcome'],
    value: 1,
    isOfModel: true,
  },
  fenceSeconds: {
    name: 'model_cache_fence_seconds',
    help: 'Time from the fence of a write to the end of the write',
    value: 0,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60],
    isOfModel: true,
  },
  slowCommits: {
    name: 'model_cache_slow_commits_total',
    help: 'Writes that took longer than half of fenceMs',
    value: 0,
    isOfModel: true,
  },
  newSchemas: {
    name: 'model_cache_new_schemas_total',
    help: 'Schemas that were new among running processes, for which a process stored no rows for fenceMs',
    value: 0,
    isOfModel: true,
  },
  unknownWrites: {
    name: 'model_cache_unknown_writes_total',
    help: 'Writes to unknown rows or keys, each of which invalidated all rows, or all entries, of the model, by reason',
    labels: ['reason'],
  },
  audits: {
    name: 'model_cache_audits_total',
    help: 'Stored rows or entries compared with the source, by outcome (fresh, stale, changed, failed)',
    labels: ['outcome'],
  },
  prismaReads: {
    name: 'model_cache_prisma_reads_total',
    help: 'Queries of Prisma on models whose reads are answered, by outcome: answered, or the reason why not',
    labels: ['outcome'],
    value: 1,
    isOfModel: true,
  },
  prismaShadow: {
    name: 'model_cache_prisma_shadow_total',
    help: 'Queries of Prisma that shadow mode compared with the cache, by outcome (same, reordered, different, error, skipped)',
    labels: ['outcome'],
    isOfModel: true,
  },
}

/**
 * Creates an observer that exports metrics of caches to a registry of prom-client. Label values are models, lookups and fixed words, never keys or
 * ids. Series of rows have no label `lookup`; what happens to writes is counted by model.
 */
export function createCacheMetrics(
  registry: MetricsRegistry,
  { prefix = '', root }: CacheMetricsOptions = {},
): CacheObserver {
  const openCircuits = counterIn(
    registry,
    {
      name: `${prefix}model_cache_open_circuits`,
      help: 'Servers that are currently bypassed, by side (reads, writes)',
      labelNames: ['side', 'root'],
    },
    'gauge',
  )
  const circuits = {
    reads: openCircuits.series('reads', root),
    writes: openCircuits.series('writes', root),
  }
  const foreignKeys = counterIn(registry, {
    name: `${prefix}model_cache_foreign_keys_total`,
    help: 'Keys of the cache that were not strings and were replaced',
    labelNames: ['root'],
  }).series(root)
  const metrics = Object.entries(cacheMetrics).map(([method, metric]) => {
    const { help, isOfModel, labels = [], name } = metric
    const labelNames = ['model', ...(isOfModel ? [] : ['lookup']), ...labels, 'root']
    return {
      method,
      metric,
      recorderOf: recorderIn(registry, metric, { name: prefix + name, help, labelNames }),
    }
  })

  return {
    storeChanged: (side, state) => circuits[side].add(state === 'down' ? 1 : -1),
    foreignKeys: (count) => foreignKeys.add(count),
    forModel(model, lookup) {
      const observer: Record<string, Method> = {}
      for (const { method, metric, recorderOf } of metrics) {
        const own = metric.isOfModel ? [model] : [model, lookup]
        observer[method] = methodOf(metric, (...labels) => recorderOf(...own, ...labels, root))
      }
      // Where nothing was ever found, the hit ratio is 0 and not missing.
      observer['reads']!('store', 'hit', 0)
      return observer as unknown as ModelObserver
    },
  }
}

type Label = string | undefined
type Recorder = (value: number) => void
/** As many parameters as any method has: rest parameters would allocate an array per call. */
type Method = (a?: unknown, b?: unknown, c?: unknown) => void

/** Creates a metric. Returns what records a value in the series of some labels. */
function recorderIn(
  registry: MetricsRegistry,
  { buckets }: CacheMetric,
  config: Parameters<typeof counterIn>[1],
): (...labels: readonly Label[]) => Recorder {
  if (buckets) {
    const histogram = histogramIn(registry, [...buckets], config)
    return (...labels) => {
      const series = histogram.series(...labels)
      return (value) => series.observe(value)
    }
  }
  const counter = counterIn(registry, config)
  return (...labels) => {
    const series = counter.series(...labels)
    return (value) => series.add(value)
  }
}

/** Returns the argument at each place. */
const argumentAt = [
  (a: unknown) => a,
  (_: unknown, b: unknown) => b,
  (_: unknown, _b: unknown, c: unknown) => c,
] as const

/** Records what a call says. Looks up the series of each label value once; those without labels exist from the start. */
function methodOf(
  { labels = [], from = labels.map((_, i) => i as Place), value }: CacheMetric,
  recorderOf: (...labels: readonly Label[]) => Recorder,
): Method {
  const valueOf = (value === undefined ? () => 1 : argumentAt[value]) as (...args: unknown[]) => number
  const [first, second] = from.map((place) => argumentAt[place] as (...args: unknown[]) => string)
  if (!first) {
    const record = recorderOf()
    return (a, b, c) => record(valueOf(a, b, c))
  }
  const known: Record<string, Record<string, Recorder>> = {}
  return (a, b, c) => {
    const one = first(a, b, c)
    const other = second ? second(a, b, c) : ''
    const record = ((known[one] ??= {})[other] ??= second ? recorderOf(one, other) : recorderOf(one))
    record(valueOf(a, b, c))
  }
}

/** Counts the ids with which this process has warmed caches up. */
export function createWarmMetrics(
  registry: MetricsRegistry,
  { prefix = '', root }: CacheMetricsOptions,
): (cache: string, result: WarmResult, count: number) => void {
  const ids = counterIn(registry, {
    name: `${prefix}model_cache_warmed_ids_total`,
    help: 'Ids from another region or namespace that this process has read to warm caches up, by result (stored, present, not_found, skipped, refused, failed)',
    labelNames: ['model', 'result', 'root'],
  })
  return (cache, result, count) => ids.series(cache, result, root).add(count)
}
