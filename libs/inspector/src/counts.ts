import type { MetricsRegistry, Sample } from '@model-cache/event-loop/internal'

/**
 * What metrics have counted since the start of the process, by group and name. Groups of histograms have the cumulative counts of their
 * buckets by upper bound, `+Inf` the last.
 */
export type Counts = Readonly<Partial<Record<CountGroup, Readonly<Record<string, number>>>>>

export type CountGroup =
  | 'answered'
  | 'misses'
  | 'fills'
  | 'audits'
  /** Queries of Prisma: `answered`, `result`, `shadowed`, or the reason why the database answered. */
  | 'queries'
  /** `loaded`, `failed`, `timed_out` */
  | 'loads'
  /** `ids`, `all` */
  | 'invalidations'
  /** `decode`: seconds */
  | 'work'
  | 'hitSeconds'
  | 'missSeconds'
  | 'payloadBytes'
  /** `before`, `after` */
  | 'compressedBytes'
  | 'lagSeconds'
  /** Blocks of the event loop, by holder: how many, and seconds. */
  | 'blocks'
  | 'blockSeconds'
  /** Counted by handler. */
  | 'shed'

/** The counts of a root: of its caches and their lookups by {@link countsKey}, and of the event loop. */
export interface RootCounts {
  readonly caches: ReadonlyMap<string, Counts>
  readonly eventLoop: Counts
  readonly follow: { readonly events: Readonly<Record<string, number>>; readonly takeovers: number }
  /** Servers that are bypassed now. */
  readonly openCircuits: { readonly reads: number; readonly writes: number }
}

export function countsKey(cache: string, lookup?: string): string {
  return lookup === undefined ? cache : `${cache}.${lookup}`
}

/** Outcomes that end a read. After a miss, the next layer is read. */
export const answers = new Set(['coalesced', 'hit', 'not_found', 'stale'])

/** The metrics of caches: what each sample counts, as group and name; undefined for nothing. */
const cacheMetrics: Readonly<
  Record<string, (sample: Sample) => readonly [CountGroup, string | number | undefined] | undefined>
> = {
  model_cache_reads_total: ({ labels }) =>
    answers.has(String(labels.outcome)) ? ['answered', labels.layer] : undefined,
  model_cache_misses_total: ({ labels }) => ['misses', labels.reason],
  model_cache_fills_total: ({ labels }) => ['fills', labels.outcome],
  model_cache_audits_total: ({ labels }) => ['audits', labels.outcome],
  model_cache_prisma_reads_total: ({ labels }) => ['queries', labels.outcome],
  model_cache_invalidations_total: ({ labels }) => ['invalidations', labels.kind],
  model_cache_load_seconds: (sample) =>
    isPart(sample, 'count') ? ['loads', sample.labels.outcome] : undefined,
  model_cache_sync_seconds: (sample) =>
    isPart(sample, 'sum') && sample.labels.op === 'decode' ? ['work', 'decode'] : undefined,
  model_cache_read_seconds: (sample) =>
    isPart(sample, 'bucket')
      ? [sample.labels.outcome === 'miss' ? 'missSeconds' : 'hitSeconds', sample.labels.le]
      : undefined,
  model_cache_compressed_bytes_total: ({ labels }) => ['compressedBytes', labels.stage],
  model_cache_payload_bytes: (sample) =>
    isPart(sample, 'bucket') ? ['payloadBytes', sample.labels.le] : undefined,
}

const isPart = ({ metricName }: Sample, part: string): boolean => metricName?.endsWith(`_${part}`) ?? false

/**
 * Reads the counts of a root from the metrics that it exports.
 *
 * @param pause waited for between metrics, so that a large application is not blocked for the time that all of them take
 */
export async function readCounts(
  registry: MetricsRegistry,
  { prefix, root }: { readonly prefix: string; readonly root: string | undefined },
  pause: () => Promise<unknown> = async () => {},
): Promise<RootCounts> {
  const samplesOf = async (name: string): Promise<readonly Sample[]> => {
    const metric = await registry.getSingleMetric(prefix + name)?.get()
    return metric?.values ?? []
  }
  const ofRoot = ({ labels }: Sample): boolean => (labels.root ?? undefined) === root
  const caches = new Map<string, Partial<Record<CountGroup, Record<string, number>>>>()
  for (const [metric, countOf] of Object.entries(cacheMetrics)) {
    await pause()
    for (const sample of (await samplesOf(metric)).filter(ofRoot)) {
      const [group, name] = countOf(sample) ?? []
      if (group === undefined) continue
      const { model, lookup } = sample.labels
      const key = countsKey(String(model), lookup === undefined ? undefined : String(lookup))
      const counts = caches.get(key) ?? {}
      caches.set(key, counts)
      add((counts[group] ??= {}), String(name), sample.value)
    }
  }
  await pause()
  const [lag, blocks, shed, circuits, events, takeovers] = await Promise.all([
    samplesOf('event_loop_lag_seconds'),
    samplesOf('event_loop_block_seconds'),
    samplesOf('event_loop_shed_requests_total'),
    samplesOf('model_cache_open_circuits'),
    samplesOf('model_cache_follow_events_total'),
    samplesOf('model_cache_follow_takeovers_total'),
  ])
  const open = (side: string): number =>
    circuits.filter(ofRoot).find(({ labels }) => labels.side === side)?.value ?? 0
  return {
    caches,
    eventLoop: {
      lagSeconds: countsOf(
        lag.filter((sample) => isPart(sample, 'bucket')),
        'le',
      ),
      blocks: countsOf(
        blocks.filter((sample) => isPart(sample, 'count')),
        'holder',
      ),
      blockSeconds: countsOf(
        blocks.filter((sample) => isPart(sample, 'sum')),
        'holder',
      ),
      shed: countsOf(shed, 'handler'),
    },
    follow: {
      events: countsOf(events.filter(ofRoot), 'kind'),
      takeovers: takeovers.find(ofRoot)?.value ?? 0,
    },
    openCircuits: { reads: open('reads'), writes: open('writes') },
  }
}

function countsOf(samples: readonly Sample[], label: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { labels, value } of samples) add(counts, String(labels[label]), value)
  return counts
}

function add(counts: Record<string, number>, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count
}

/** The counts of several processes or caches together. */
export function sumOf(all: readonly Counts[]): Counts {
  const [first = {}, ...others] = all
  return others.reduce((sum, counts) => combined(sum, counts, 1), first)
}

/** What has been counted between two times. */
export function growthOf(before: Counts | undefined, after: Counts): Counts {
  return combined(after, before ?? {}, -1)
}

function combined(one: Counts, other: Counts, sign: 1 | -1): Counts {
  const groups = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<CountGroup>
  return Object.fromEntries(
    [...groups].map((group) => {
      const counts = { ...one[group] }
      for (const [name, count] of Object.entries(other[group] ?? {})) add(counts, name, sign * count)
      return [group, counts]
    }),
  )
}
