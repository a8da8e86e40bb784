import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { type ModelObserver, observedEvents } from '../cache/telemetry/observer.js'
import { createCacheMetrics } from './cache-metrics.js'

/** Calls a method with 1 for whatever it counts, or is a label. */
const call = (observer: ModelObserver, name: keyof ModelObserver): void =>
  (observer[name] as (...args: readonly number[]) => void)(1, 1, 1)

/** Of the rows of a model: a lookup has no writes, schemas or queries of its own. */
const ofModels = [
  'newSchemas',
  'unopenedValues',
  'compressedBytes',
  'prismaReads',
  'prismaShadow',
  'fences',
  'fenceSeconds',
  'slowCommits',
] as const

/** The counts of counters and histograms, by their series in the exposition format. */
async function countsIn(registry: Registry): Promise<Map<string, number>> {
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => /^\w+_(total|count)\{model/.test(line))
    .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))] as const)
  return new Map(lines.filter(([, count]) => count > 0))
}

describe('createCacheMetrics', () => {
  it.each(observedEvents)('counts %s of lookups apart from those of rows', async (name) => {
    const registry = new Registry()
    const metrics = createCacheMetrics(registry)
    call(metrics.forModel('Lot'), name)
    const [[ofRows] = []] = await countsIn(registry)
    expect(ofRows).toMatch(/^model_cache_\w+\{model="Lot"[,}]/)
    expect(ofRows).not.toContain('lookup')

    call(metrics.forModel('Lot', 'ofSeller'), name)
    call(metrics.forModel('Lot', 'open'), name)
    const isOfModel = (ofModels as readonly string[]).includes(name)
    const series = (lookup: string) => ofRows!.replace('model="Lot"', `model="Lot",lookup="${lookup}"`)
    expect([...(await countsIn(registry))]).toEqual(
      isOfModel
        ? [[ofRows, 3]]
        : [
            [ofRows, 1],
            [series('ofSeller'), 1],
            [series('open'), 1],
          ],
    )
  })

  it('counts hits from 0, so that a cache without any has a hit ratio', async () => {
    const registry = new Registry()
    createCacheMetrics(registry).forModel('Lot', 'ofSeller')
    expect(await registry.metrics()).toContain(
      'model_cache_reads_total{model="Lot",lookup="ofSeller",layer="store",outcome="hit"} 0',
    )
  })

  it('has one series for each model and lookup, however often they are registered', async () => {
    const registry = new Registry()
    for (let i = 0; i < 3; i++) {
      const metrics = createCacheMetrics(registry, { root: 'billing' })
      metrics.forModel('Lot', 'ofSeller').reads('store', 'hit', 2)
      metrics.forModel('Lot').reads('store', 'hit', 5)
    }
    expect([...(await countsIn(registry))]).toEqual([
      [
        'model_cache_reads_total{model="Lot",lookup="ofSeller",layer="store",outcome="hit",root="billing"}',
        6,
      ],
      ['model_cache_reads_total{model="Lot",layer="store",outcome="hit",root="billing"}', 15],
    ])
  })

  it('counts bypassed servers by side, from 0', async () => {
    const registry = new Registry()
    const metrics = createCacheMetrics(registry)
    const scrape = () => registry.getSingleMetricAsString('model_cache_open_circuits')
    expect(await scrape()).toContain('{side="reads"} 0\nmodel_cache_open_circuits{side="writes"} 0')
    metrics.storeChanged('reads', 'down', 'it is gone')
    metrics.storeChanged('reads', 'down', 'another node is gone')
    metrics.storeChanged('reads', 'up', 'it is back')
    expect(await scrape()).toContain('{side="reads"} 1\nmodel_cache_open_circuits{side="writes"} 0')
  })

  it('counts servers that are bypassed while the registry is reset', async () => {
    const registry = new Registry()
    const metrics = createCacheMetrics(registry)
    const scrape = () => registry.getSingleMetricAsString('model_cache_open_circuits')
    metrics.storeChanged('reads', 'down', 'it is gone')
    registry.resetMetrics()
    expect(await scrape()).toContain('{side="reads"} 1')
    metrics.storeChanged('reads', 'up', 'it is back')
    expect(await scrape()).toContain('{side="reads"} 0')
  })

  it('counts bypassed servers and foreign keys by root', async () => {
    const registry = new Registry()
    const metrics = createCacheMetrics(registry, { root: 'billing' })
    metrics.storeChanged('writes', 'down', 'it is gone')
    metrics.foreignKeys!(2)
    metrics.foreignKeys!(1)
    const text = await registry.metrics()
    expect(text).toContain('model_cache_open_circuits{side="reads",root="billing"} 0')
    expect(text).toContain('model_cache_open_circuits{side="writes",root="billing"} 1')
    expect(text).toContain('model_cache_foreign_keys_total{root="billing"} 3')
  })

  it('has buckets for sizes and for times of fences', async () => {
    const registry = new Registry()
    const metrics = createCacheMetrics(registry).forModel('Lot')
    metrics.batchKeys(3)
    metrics.payloadBytes(100_000)
    metrics.fenceSeconds(20)
    const text = await registry.metrics()
    expect(text).toContain('batch_keys_bucket{le="2",model="Lot"} 0')
    expect(text).toContain('batch_keys_bucket{le="5",model="Lot"} 1')
    expect(text).toContain('payload_bytes_bucket{le="32768",model="Lot"} 0')
    expect(text).toContain('payload_bytes_bucket{le="131072",model="Lot"} 1')
    expect(text).toContain('fence_seconds_bucket{le="15",model="Lot"} 0')
    expect(text).toContain('fence_seconds_bucket{le="30",model="Lot"} 1')
  })
})

it('has a row in docs/metrics.md for each metric', async () => {
  const registry = new Registry()
  createCacheMetrics(registry)
  const page = readFileSync('docs/metrics.md', 'utf8')
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !page.includes(`| \`${name}\` `))).toEqual([])
})
