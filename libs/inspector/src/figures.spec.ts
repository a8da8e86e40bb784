import { Registry } from 'prom-client'
import { createCacheMetrics } from 'model-cache/advanced'
import { type Counts, growthOf, readCounts, sumOf } from './counts.js'
import { boundedQuantilesOf, figuresOf, quantilesOf } from './figures.js'

async function countsIn(registry: Registry, key: string, root?: string): Promise<Counts> {
  const { caches } = await readCounts(registry, { prefix: 'shop_', root })
  return caches.get(key) ?? {}
}

describe('figures', () => {
  it('come from the metrics of a cache, apart from those of its lookups and of other roots', async () => {
    const registry = new Registry()
    const lots = createCacheMetrics(registry, { prefix: 'shop_' }).forModel('Lot')
    const others = createCacheMetrics(registry, { prefix: 'shop_', root: 'billing' }).forModel('Lot')
    const list = createCacheMetrics(registry, { prefix: 'shop_' }).forModel('Lot', 'open')
    lots.reads('tick', 'coalesced', 4)
    lots.reads('l1', 'miss', 9)
    lots.reads('store', 'hit', 3)
    lots.reads('store', 'stale', 1)
    lots.reads('store', 'miss', 2)
    lots.reads('source', 'hit', 1)
    lots.reads('source', 'not_found', 1)
    lots.reads('source', 'error', 7)
    lots.load('loaded', 0.01, 2)
    lots.load('failed', 0.01, 2)
    for (let i = 0; i < 3; i++) lots.load('timed_out', 10, 2)
    lots.misses('expired', 2)
    lots.fills('stored', 1)
    lots.audits('fresh')
    lots.prismaReads('answered', 8)
    lots.prismaReads('fields', 3)
    lots.prismaReads('result', 2)
    lots.invalidations('ids', 5)
    lots.syncSeconds('decode', 0.25)
    lots.syncSeconds('copy', 8)
    lots.payloadBytes(100)
    lots.compressedBytes('before', 500)
    lots.compressedBytes('after', 100)
    lots.readSeconds(0.0001, 1, 'hit')
    lots.readSeconds(0.2, 1, 'miss')
    others.reads('store', 'hit', 1_000)
    list.reads('store', 'hit', 500)
    expect(figuresOf(await countsIn(registry, 'Lot'), 7)).toEqual({
      seconds: 7,
      answered: { tick: 4, l1: 0, store: 4, source: 2 },
      reads: 10,
      hitRatio: 0.8,
      loads: 2,
      failedLoads: 1,
      timedOutLoads: 3,
      hitMs: { p50: 0.05, p50Within: [0, 0.1], p99: expect.closeTo(0.099, 6), p99Within: [0, 0.1] },
      missMs: { p50: 175, p50Within: [100, 250], p99: expect.closeTo(248.5, 6), p99Within: [100, 250] },
      payloadBytes: { p50: 64, p50Within: [0, 128], p99: expect.closeTo(126.72, 6), p99Within: [0, 128] },
      compressedBytes: { before: 500, after: 100 },
      misses: { expired: 2 },
      fills: { stored: 1 },
      audits: { fresh: 1 },
      queries: { answered: 8, results: 2, shadowed: 0, bypassed: { fields: 3 } },
      invalidations: 5,
      decodeMs: 250,
    })
    expect(figuresOf(await countsIn(registry, 'Lot', 'billing'), 1).reads).toBe(1_000)
    expect(figuresOf(await countsIn(registry, 'Lot.open'), 1).reads).toBe(500)
  })

  it('have no ratio and no quantiles without reads', () => {
    expect(figuresOf({}, 1)).toMatchObject({ reads: 0, hitRatio: null, hitMs: null, payloadBytes: null })
  })

  it('can be of a time between two looks, and of several processes', async () => {
    const registry = new Registry()
    const lots = createCacheMetrics(registry, { prefix: 'shop_' }).forModel('Lot')
    lots.reads('store', 'hit', 3)
    lots.readSeconds(9, 1, 'hit')
    const before = await countsIn(registry, 'Lot')
    lots.reads('store', 'hit', 2)
    lots.reads('source', 'hit', 1)
    lots.readSeconds(0.0001, 1, 'hit')
    const growth = growthOf(before, await countsIn(registry, 'Lot'))
    expect(figuresOf(growth, 1)).toMatchObject({ reads: 3, hitMs: { p50: 0.05 } })
    expect(figuresOf(sumOf([growth, growth, {}]), 1)).toMatchObject({
      answered: { tick: 0, l1: 0, store: 4, source: 2 },
      hitRatio: 4 / 6,
    })
  })
})

describe('quantilesOf', () => {
  it('interpolates within a bucket, and takes the first that reaches the rank', () => {
    expect(quantilesOf({ 10: 5, 20: 5, 30: 10, '+Inf': 10 })).toEqual({
      p50: 10,
      p99: expect.closeTo(29.8, 6),
    })
  })

  it('is the highest bound above all of them', () => {
    expect(quantilesOf({ '+Inf': 2, 10: 0 })).toEqual({ p50: 10, p99: 10 })
    expect(boundedQuantilesOf({ '+Inf': 2, 10: 0 })).toMatchObject({ p50Within: [10, null] })
  })
})
