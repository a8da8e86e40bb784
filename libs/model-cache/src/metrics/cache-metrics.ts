import {
  counterIn,
  durationBuckets,
  histogramIn,
  type MetricsRegistry,
} from '@model-cache/event-loop/internal'
import type { CacheObserver } from '../cache/telemetry/observer.js'

export interface CacheMetricsOptions {
  /** Prefix of every metric name. @default none */
  readonly prefix?: string | undefined
  /** Value of the label `root` of every series. @default series without that label */
  readonly root?: string | undefined
}

/**
 * Creates an observer that exports metrics of caches to a registry of prom-client. Label values are models, lookups and fixed words, never keys or
 * ids. Series of rows have no label `lookup`; what happens to writes is counted by model.
 */
export function createCacheMetrics(
  registry: MetricsRegistry,
  { prefix = '', root }: CacheMetricsOptions = {},
): CacheObserver {
  const counter = (name: string, help: string, labels: string[]) => {
    const metric = counterIn(registry, { name: prefix + name, help, labelNames: [...labels, 'root'] })
    return { series: (...values: (string | undefined)[]) => metric.series(...values, root) }
  }
  const histogram = (name: string, help: string, labels: string[], buckets: number[]) => {
    const metric = histogramIn(registry, buckets, {
      name: prefix + name,
      help,
      labelNames: [...labels, 'root'],
    })
    return { series: (...values: (string | undefined)[]) => metric.series(...values, root) }
  }

  const reads = counter(
    'model_cache_reads_total',
    'Reads of rows or entries by layer (tick, l1, store, source) and outcome (coalesced, hit, miss, stale, not_found, error)',
    ['model', 'lookup', 'layer', 'outcome'],
  )
  const misses = counter(
    'model_cache_misses_total',
    'Reads that the store had no usable row or entry for, by reason',
    ['model', 'lookup', 'reason'],
  )
  const fills = counter(
    'model_cache_fills_total',
    'Rows or entries offered to the store, by outcome: stored, or the reason why not',
    ['model', 'lookup', 'outcome'],
  )
  const readSeconds = histogram(
    'model_cache_read_seconds',
    'Time from the first read of a tick to the last row or list it delivers, by outcome: hit, or miss if one had to be loaded',
    ['model', 'lookup', 'outcome'],
    durationBuckets,
  )
  const syncSeconds = histogram(
    'model_cache_sync_seconds',
    'Synchronous work of the cache in one turn of the event loop, by operation (decode, encode, copy, load)',
    ['model', 'lookup', 'op'],
    durationBuckets,
  )
  const loadSeconds = histogram(
    'model_cache_load_seconds',
    'Duration of loads from the source, by outcome (loaded, failed, timed_out)',
    ['model', 'lookup', 'outcome'],
    durationBuckets,
  )
  const invalidations = counter(
    'model_cache_invalidations_total',
    'Requested invalidations, by kind: each id or key, or all rows of a model',
    ['model', 'lookup', 'kind'],
  )
  const payloadBytes = histogram(
    'model_cache_payload_bytes',
    'Size of values written to the store',
    ['model', 'lookup'],
    [128, 512, 2_048, 8_192, 32_768, 131_072, 524_288, 2_097_152],
  )
  const largePayloads = counter(
    'model_cache_large_rows_total',
    'Rows or entries read or written whose payload has largePayloadBytes or more',
    ['model', 'lookup'],
  )
  const hotIds = counter(
    'model_cache_hot_ids_total',
    'Rows or entries that L1 began to keep as they are read often (promoted), or ceased to keep (demoted)',
    ['model', 'lookup', 'change'],
  )
  const batchKeys = histogram(
    'model_cache_batch_keys',
    'Distinct ids or keys read in one tick',
    ['model', 'lookup'],
    [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000],
  )

  const fences = counter(
    'model_cache_fences_total',
    'Fenced rows of writes, by outcome (fenced, released, unknown_end, store_error)',
    ['model', 'outcome'],
  )
  const fenceSeconds = histogram(
    'model_cache_fence_seconds',
    'Time from the fence of a write to the end of the write',
    ['model'],
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60],
  )
  const slowCommits = counter(
    'model_cache_slow_commits_total',
    'Writes that took longer than half of fenceMs',
    ['model'],
  )

  const newSchemas = counter(
    'model_cache_new_schemas_total',
    'Schemas that were new among running processes, for which a process stored no rows for fenceMs',
    ['model'],
  )

  const unknownWrites = counter(
    'model_cache_unknown_writes_total',
    'Writes to unknown rows or keys, each of which invalidated all rows, or all entries, of the model, by reason',
    ['model', 'lookup', 'reason'],
  )

  const audits = counter(
    'model_cache_audits_total',
    'Stored rows or entries compared with the source, by outcome (fresh, stale, changed, failed)',
    ['model', 'lookup', 'outcome'],
  )

  const prismaReads = counter(
    'model_cache_prisma_reads_total',
    'Queries of Prisma on models whose reads are answered, by outcome: answered, or the reason why not',
    ['model', 'outcome'],
  )
  const prismaShadow = counter(
    'model_cache_prisma_shadow_total',
    'Queries of Prisma that shadow mode compared with the cache, by outcome (same, different, error, skipped)',
    ['model', 'outcome'],
  )

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

  const foreignKeys = counter(
    'model_cache_foreign_keys_total',
    'Keys of the cache that were not strings and were replaced',
    [],
  ).series()

  return {
    storeChanged: (side, state) => circuits[side].add(state === 'down' ? 1 : -1),
    foreignKeys: (count) => foreignKeys.add(count),
    forModel(model, lookup) {
      const bytes = payloadBytes.series(model, lookup)
      const batch = batchKeys.series(model, lookup)
      const large = largePayloads.series(model, lookup)
      const fence = fenceSeconds.series(model)
      const slow = slowCommits.series(model)
      const schemas = newSchemas.series(model)
      const readingOf = each((outcome) => readSeconds.series(model, lookup, outcome))
      const readsOf = each((layer, outcome) => reads.series(model, lookup, layer, outcome))
      const missesOf = each((reason) => misses.series(model, lookup, reason))
      const fillsOf = each((outcome) => fills.series(model, lookup, outcome))
      const syncOf = each((op) => syncSeconds.series(model, lookup, op))
      const loadsOf = each((outcome) => loadSeconds.series(model, lookup, outcome))
      const invalidationsOf = each((kind) => invalidations.series(model, lookup, kind))
      const auditsOf = each((outcome) => audits.series(model, lookup, outcome))
      const prismaReadsOf = each((outcome) => prismaReads.series(model, outcome))
      const prismaShadowOf = each((outcome) => prismaShadow.series(model, outcome))
      const unknownWritesOf = each((reason) => unknownWrites.series(model, lookup, reason))
      const hotIdsOf = each((change) => hotIds.series(model, lookup, change))
      const fencesOf = each((outcome) => fences.series(model, outcome))
      // Where nothing was ever found, the hit ratio is 0 and not missing.
      readsOf('store', 'hit')
      return {
        reads: (layer, outcome, count) => readsOf(layer, outcome).add(count),
        misses: (reason, count) => missesOf(reason).add(count),
        fills: (outcome, count) => fillsOf(outcome).add(count),
        readSeconds: (seconds, _ids, outcome) => readingOf(outcome).observe(seconds),
        load: (outcome, seconds) => loadsOf(outcome).observe(seconds),
        invalidations: (kind, count) => invalidationsOf(kind).add(count),
        syncSeconds: (op, seconds) => syncOf(op).observe(seconds),
        payloadBytes: (size) => bytes.observe(size),
        batchKeys: (keys) => batch.observe(keys),
        hotIds: (change, count) => hotIdsOf(change).add(count),
        largePayloads: (count) => large.add(count),
        audits: (outcome) => auditsOf(outcome).add(1),
        prismaReads: (outcome, count) => prismaReadsOf(outcome).add(count),
        prismaShadow: (outcome) => prismaShadowOf(outcome).add(1),
        newSchemas: (count) => schemas.add(count),
        unknownWrites: (reason) => unknownWritesOf(reason).add(1),
        fences: (outcome, count) => fencesOf(outcome).add(count),
        fenceSeconds: (seconds) => fence.observe(seconds),
        slowCommits: (count) => slow.add(count),
      }
    },
  }
}

/** Looks up the series of each label value once. */
function each<Series>(
  find: (label: string, second: string) => Series,
): (label: string, second?: string) => Series {
  const found: Record<string, Record<string, Series>> = {}
  return (label, second = '') => ((found[label] ??= {})[second] ??= find(label, second))
}
