import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCacheMetrics } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import { defineModelCache, type Pod, useLookupWorlds } from '../integration/lookups/lookup-pods.js'
import { eventually, eventuallyEqual, eventuallyResolves } from '../support/eventually.js'
import { type PrometheusServer, type Sample, startPrometheus } from '../support/start-prometheus.js'
import { isAboutLookups, queries, RULES } from './dashboard.js'

const posts = defineModelCache('Post', {
  ttl: '1m',
  id: 'id',
  largePayloadBytes: 1,
  unique: { address: ['authorId', 'slug'] },
  lists: {
    ofAuthor: { by: 'authorId', orderBy: { id: 'asc' } },
    titled: { by: 'title', maxRows: 2 },
  },
})

/** Serves the metrics of a registry to a scraper. */
async function serve(registry: Registry) {
  const server = createServer((_, response) => {
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { host: `127.0.0.1:${port}`, close: () => server.close() }
}

describe('lookups in Prometheus', () => {
  const openWorld = useLookupWorlds()
  let registry: Registry
  let metrics: Awaited<ReturnType<typeof serve>>
  let prometheus: PrometheusServer

  /** Reads of each kind, and a write after which a list is outdated. */
  async function useLookups(
    { caches, prisma }: Pod<{ posts: typeof posts }>,
    deleted: bigint,
  ): Promise<void> {
    await caches.posts.listMany('ofAuthor', [2, 3, 4])
    await caches.posts.list('titled', 'popular')
    await caches.posts.getBy('address', { authorId: 2, slug: 'p1' })
    await caches.posts.getBy('address', { authorId: 2, slug: 'unknown' })
    await caches.posts.drain()
    await prisma.post.delete({ where: { id: deleted } })
  }

  beforeAll(async () => {
    const world = await openWorld()
    registry = new Registry()
    const observer = createCacheMetrics(registry)
    const pod = await world.openPod({ posts }, { observer })
    await world.sql.query(`UPDATE "Post" SET title = 'popular' WHERE id IN (5, 6, 7)`)
    metrics = await serve(registry)
    prometheus = await startPrometheus({ target: metrics.host, rules: [RULES] })
    for (const deleted of [8n, 2n, 3n, 4n]) {
      await useLookups(pod, deleted)
      await untilScraped()
    }
    // Includes the download of Prometheus on the first run.
  }, 120_000)
  afterAll(async () => {
    await prometheus?.stop()
    metrics?.close()
  })

  const counted = async (): Promise<number> => {
    const { values } = await registry.getSingleMetric('model_cache_reads_total')!.get()
    return values.reduce((sum, { value }) => sum + value, 0)
  }

  /** Rates need counters that grow between scrapes. */
  async function untilScraped(): Promise<void> {
    const expected = await counted()
    await eventually(async () => {
      const [sum] = await prometheus.query('sum(model_cache_reads_total)')
      return sum?.value === expected
    })
  }

  /**
   * The samples of a query, where there are some. A scrape has a timeout of a quarter of a second, which a busy machine
   * exceeds at times: then there are none.
   */
  const samplesOf = (query: string): Promise<Sample[]> =>
    eventuallyResolves(async () => {
      const samples = await prometheus.query(query)
      if (samples.length === 0) throw new Error(`no samples of ${query}`)
      return samples
    })

  const valueOf = (samples: readonly Sample[], lookup: string | undefined): number | undefined =>
    samples.find(({ labels }) => labels.lookup === lookup)?.value

  it.each(queries.filter(([, query]) => isAboutLookups(query)))(
    'have data for the panel "%s": %s',
    async (_, query) => {
      await eventually(async () => {
        const samples = await prometheus.query(query)
        const ofLookups = samples.filter(({ labels, value }) => labels.lookup && value > 0)
        expect(ofLookups.every(({ labels }) => labels.model === 'Post')).toBe(true)
        return ofLookups.length > 0
      })
    },
  )

  it('are counted apart from the rows that they read', async () => {
    const samples = await samplesOf('sum by (model, lookup) (model_cache_reads_total{layer="store"})')
    expect(samples.map(({ labels }) => labels).toSorted(byLookup)).toEqual([
      { model: 'Post' },
      { model: 'Post', lookup: 'address' },
      { model: 'Post', lookup: 'ofAuthor' },
      { model: 'Post', lookup: 'titled' },
    ])
    // Three lists and two unique keys, four times.
    expect(valueOf(samples, 'ofAuthor')).toBe(12)
    expect(valueOf(samples, 'address')).toBe(8)
    const [rows] = await samplesOf('sum(model_cache_reads_total{layer="store",lookup=""})')
    expect(valueOf(samples, undefined)).toBe(rows!.value)
  })

  it('have a hit ratio of their own, and the rows theirs', async () => {
    await eventuallyEqual(async () => (await prometheus.query('model_cache:hit_ratio:rate10m')).length, 4)
    const ratios = await samplesOf('model_cache:hit_ratio:rate10m')
    expect(valueOf(ratios, 'titled')).toBe(0)
    expect(valueOf(ratios, 'address')).toBeGreaterThan(0.5)
    expect(valueOf(ratios, undefined)).toBeGreaterThan(0)
  })

  it('count lists that are too long, and entries with a row that has left', async () => {
    const lookupOf = async (query: string) =>
      (await samplesOf(query)).map(({ labels, value }) => [labels.lookup, value])
    expect(await lookupOf('model_cache_fills_total{outcome="too_long"}')).toEqual([['titled', 4]])
    // Each deleted row but the last left a list that was read afterwards.
    expect(await lookupOf('model_cache_misses_total{reason="outdated"}')).toEqual([['ofAuthor', 3]])
  })

  it('count what they store, and how large it is, apart from rows', async () => {
    const stored = await samplesOf('model_cache_fills_total{outcome="stored",lookup="ofAuthor"}')
    const sizes = await samplesOf('model_cache_payload_bytes_count{lookup="ofAuthor"}')
    // Each list, and three that were outdated again.
    expect([...stored, ...sizes].map(({ value }) => value)).toEqual([6, 6])
    const large = await samplesOf('sum by (lookup) (model_cache_large_rows_total) > 0')
    expect(large.map(({ labels }) => labels.lookup).toSorted()).toEqual(['address', 'ofAuthor', undefined])
  })

  it('name no keys', async () => {
    const text = await registry.metrics()
    expect(text).toContain('lookup="titled"')
    expect(text).not.toContain('popular')
    expect(text).not.toContain('unknown"')
  })
})

const byLookup = (a: Record<string, string>, b: Record<string, string>): number =>
  (a.lookup ?? '').localeCompare(b.lookup ?? '')
