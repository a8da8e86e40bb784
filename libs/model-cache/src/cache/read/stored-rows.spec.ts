import { jest } from '@jest/globals'
import { type } from 'arktype'
import { eventually, turns } from '../../../../../test/support/eventually.js'
import { counting } from '../../../../../test/support/observing.js'
import { MemoryStore, ModelCacheWrites } from '../../protocol/index.js'
import { type CatalogueCheck } from '../../protocol/backend/store.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { writeValue } from '../../testing/write-value.js'
import { defineModelCache, type ModelCacheOptions } from '../policy/definition.js'

interface Lot {
  id: string
  price: number
}
const schema = type({ id: 'string', price: 'number' })
const define = (options: Partial<ModelCacheOptions<Lot, typeof schema, 'id'>> = {}) =>
  defineModelCache<Lot>()({ model: 'Lot', schema, id: 'id', ttl: '1h', ...options })
const lots = (count: number): Lot[] => Array.from({ length: count }, (_, i) => ({ id: `lot-${i}`, price: i }))
const idsOf = (rows: readonly Lot[]): string[] => rows.map(({ id }) => id)

/** Counts reads, misses and ticks. */
function recorder() {
  const startedAtMs = performance.now()
  return counting((add) => ({
    reads: (layer, outcome, count) => add(`${layer} ${outcome}`, count),
    misses: (reason, count) => add(`miss ${reason}`, count),
    readSeconds: (seconds, ids, outcome) => {
      add(`tick ${outcome}`, 1)
      add('ids', ids)
      if (seconds * 1_000 > performance.now() - startedAtMs) add('wrong seconds', 1)
    },
    syncSeconds: (operation) => add(operation, 1),
  }))
}

function open(rows: Lot[], options: Parameters<typeof define>[0] = {}, overrides = {}) {
  const { counts, observer } = recorder()
  const store = new FlakyStore(new MemoryStore())
  return { ...createTestCache(define(options), rows, { store, observer, ...overrides }), counts, store }
}

/** Waits until a row has expired. */
async function expire(cache: { explain(id: string): Promise<{ stored: { isHit: boolean } }> }, id: string) {
  await eventually(async () => !(await cache.explain(id)).stored.isHit)
}

describe('reads of the store', () => {
  it('are counted by what it has', async () => {
    const { cache, counts, store } = open(lots(3))
    await cache.getMany(['lot-0', 'lot-1', '-'])
    await cache.drain()
    await cache.getMany(['lot-0', 'lot-1', 'lot-2', '-'])
    await cache.drain()
    expect(counts).toEqual({
      'store miss': 4,
      'miss not_cached': 4,
      'source hit': 3,
      'source not_found': 1,
      'store hit': 3,
      'tick miss': 2,
      ids: 7,
      encode: expect.any(Number),
      load: expect.any(Number),
      // Once per turn with decoded rows.
      decode: expect.any(Number),
    })
    expect(await cache.explain('lot-2')).toMatchObject({ lastMiss: { reason: 'not_cached' } })
    store.fail('getMany')
    await cache.get('lot-0')
    store.recover()
    expect(await cache.explain('lot-0')).toMatchObject({ lastMiss: { reason: 'store_error' } })
  })

  it('are counted by why its values cannot be used', async () => {
    const { cache, counts, store } = open(lots(2))
    await cache.getMany(['lot-0', 'lot-1', '-'])
    await cache.drain()
    await cache.invalidateAll()
    for (const key of Object.keys(counts)) delete counts[key]
    await cache.getMany(['lot-0', 'lot-1', '-'])
    await cache.drain()
    expect(counts).toMatchObject({ 'store miss': 3, 'miss invalidated': 3, 'tick miss': 1, ids: 3 })
    expect(counts).not.toHaveProperty('store hit')
    expect(counts).not.toHaveProperty('miss undecodable')
    expect(await cache.explain('lot-0')).toMatchObject({ lastMiss: { reason: 'invalidated' } })
    expect(store.calls.fillMany).toBe(2)
  })

  it.each([16, 17, 250, 251, 1_001])('give %i rows in the order of their ids', async (count) => {
    const { cache, counts } = open(lots(count))
    for (const _ of ['source', 'store']) {
      expect(await cache.getMany(idsOf(lots(count)))).toEqual(lots(count))
      await cache.drain()
    }
    expect(counts).toMatchObject({ 'source hit': count, 'store hit': count })
    expect(counts).not.toHaveProperty('wrong seconds')
  })

  /** A store of two shards that records the keys of each read. */
  function twoShards() {
    const inner = new MemoryStore()
    const shardOf = (key: string) => key.charCodeAt(key.indexOf('}') - 1) % 2
    const calls: (readonly string[])[] = []
    const store = Object.assign(inner, { shardOf })
    const getManyBytes = inner.getManyBytes.bind(inner)
    store.getManyBytes = (keys) => {
      calls.push(keys)
      return getManyBytes(keys)
    }
    return { calls, shardOf, store }
  }

  it('are one call of a shard for up to 250 rows of whole buckets', async () => {
    const { calls, shardOf, store } = twoShards()
    const { cache } = open(lots(600), {}, { store })
    for (const _ of ['source', 'store']) {
      calls.length = 0
      expect(await cache.getMany(idsOf(lots(600)))).toEqual(lots(600))
      await cache.drain()
      expect(calls.flat()).toHaveLength(600)
      expect(calls.length).toBeLessThanOrEqual(4)
      expect(Math.max(...calls.map(({ length }) => length))).toBeLessThanOrEqual(250)
      for (const keys of calls) expect(new Set(keys.map(shardOf)).size).toBe(1)
    }
  })

  it('are one call of a shard for few rows, too', async () => {
    const { calls, shardOf, store } = twoShards()
    const { cache } = open(lots(40), {}, { store })
    expect(await cache.getMany(idsOf(lots(40)))).toEqual(lots(40))
    expect(calls).toHaveLength(2)
    for (const keys of calls) expect(new Set(keys.map(shardOf)).size).toBe(1)
  })

  it.each([
    [250, 1],
    [251, 2],
    [500, 2],
    [501, 3],
  ])('are calls of 250 (%d rows: %d)', async (count, expected) => {
    const { cache, store } = open(lots(count))
    await cache.getMany(idsOf(lots(count)))
    // Register and catalogue are two more.
    expect(store.calls.getMany).toBe(expected + 2)
  })

  it('wait until what four calls have answered is decoded', async () => {
    const inner = new MemoryStore()
    const gate = Promise.withResolvers<void>()
    let begun = 0
    const getManyBytes = inner.getManyBytes.bind(inner)
    inner.getManyBytes = async (keys) => {
      begun++
      await gate.promise
      return getManyBytes(keys)
    }
    const { cache } = open(lots(1_500), {}, { store: inner })
    const reading = cache.getMany(idsOf(lots(1_500)))
    await eventually(() => begun > 0)
    await turns()
    expect(begun).toBe(4)
    gate.resolve()
    expect(await reading).toEqual(lots(1_500))
    expect(begun).toBe(6)
  })

  it('count what can be used apart from what cannot', async () => {
    const { cache, counts, store } = open(lots(4))
    await cache.getMany(idsOf(lots(4)))
    await cache.drain()
    const { key } = await cache.explain('lot-1')
    await writeValue(store, key, 'damaged', 3_600_000)
    for (const name of Object.keys(counts)) delete counts[name]
    expect(await cache.getMany(idsOf(lots(4)))).toEqual(lots(4))
    await cache.drain()
    expect(counts).toMatchObject({ 'store hit': 3, 'store miss': 1, 'miss undecodable': 1, 'source hit': 1 })
  })

  it('tell a damaged value from an invalidated one, whatever has been created since', async () => {
    const { cache, counts, store } = open(lots(1))
    const values: string[] = []
    const fillMany = store.fillMany.bind(store)
    store.fillMany = (fills) => {
      values.push(...fills.map(({ value }) => String(value)))
      return fillMany(fills)
    }
    await cache.get('lot-0')
    await cache.drain()
    const { key } = await cache.explain('lot-0')
    const release = { kind: 'release', scope: 'existence', token: 'w', holdMs: 0, markMs: 0 } as const
    await store.change('mc:{Lot}:register', release)
    await writeValue(store, key, values[0]!.slice(0, -1), 3_600_000)
    await cache.get('lot-0')
    await cache.drain()
    expect(counts).toMatchObject({ 'miss undecodable': 1 })
    expect(counts).not.toHaveProperty('miss invalidated')
  })

  it('give no caller a row that L1 keeps', async () => {
    const { rows, store } = open(lots(1))
    await createTestCache(define(), rows, { store }).cache.get('lot-0')
    await eventually(() => store.calls.fillMany > 0)
    const { cache, loads } = createTestCache(define({ l1: { ttl: '1m' } }), rows, { store })
    const row = await cache.get('lot-0')
    row!.price = 99
    expect(await cache.get('lot-0')).toEqual({ id: 'lot-0', price: 0 })
    expect(loads).toEqual([])
  })

  it('fail no row, and are counted, if the store answers for none of many', async () => {
    const { cache, counts, store } = open(lots(600))
    store.fail()
    expect(await cache.getMany(idsOf(lots(600)))).toEqual(lots(600))
    expect(counts).toMatchObject({ 'store error': 600, 'miss store_error': 600, 'source hit': 600 })
  })
})

it('rows do not count whose server turns out to be old after their epoch has been read', async () => {
  let check!: (check: CatalogueCheck) => void
  class CheckedStore extends FlakyStore {
    isOld = false
    watchCatalogue(_key: string, listener: (check: CatalogueCheck) => void): () => void {
      check = listener
      return () => {}
    }
    override async getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
      const values = await super.getManyBytes(keys)
      // What else was read in this tick has been answered.
      await new Promise(setImmediate)
      if (this.isOld) check({ finding: 'old', epoch: 'other' })
      return values
    }
  }
  const store = new CheckedStore(new MemoryStore())
  const rows = lots(1)
  const { cache } = open(rows, {}, { store })
  await cache.get('lot-0')
  await cache.drain()
  rows[0] = { id: 'lot-0', price: 5 }
  expect(await cache.get('lot-0')).toMatchObject({ price: 0 })
  store.isOld = true
  expect(await cache.get('lot-0')).toMatchObject({ price: 5 })
})

describe('a row past its ttl', () => {
  /** A cache with an expired row that has another price by now. */
  async function openExpired(options: Parameters<typeof open>[1], overrides?: Parameters<typeof open>[2]) {
    const opened = open(lots(1), options, overrides)
    await opened.cache.get('lot-0')
    await opened.cache.drain()
    await expire(opened.cache, 'lot-0')
    opened.rows[0] = { id: 'lot-0', price: 7 }
    return opened
  }
  const options = { ttl: '10ms', staleFor: '1h' } as const

  it('is loaded again, and counted as expired', async () => {
    const { cache, counts } = await openExpired(options)
    expect((await cache.get('lot-0'))!.price).toBe(7)
    await cache.drain()
    expect(counts).toMatchObject({ 'store miss': 2, 'miss not_cached': 1, 'miss expired': 1 })
    expect(counts).not.toHaveProperty('store hit')
    expect(counts).not.toHaveProperty('miss undecodable')
    expect(await cache.explain('lot-0')).toMatchObject({ lastMiss: { reason: 'expired' } })
  })

  it.each([
    [0.49, 7],
    [0.5, 0],
    [1, 0],
  ])('is served as it is under high pressure (%f)', async (value, price) => {
    const { cache } = await openExpired(options, { pressure: { value } })
    expect((await cache.get('lot-0'))!.price).toBe(price)
    await cache.drain()
  })

  it('is not served stale as the row that it is, if refresh-ahead alone is on', async () => {
    const { cache, loads } = await openExpired({ ttl: '10ms', refreshAhead: '1ms' })
    expect((await cache.get('lot-0'))!.price).toBe(7)
    expect(loads).toHaveLength(2)
    await cache.drain()
  })
})

describe('refresh-ahead', () => {
  const due = { ttl: 3_600_000, refreshAhead: 3_599_999 }
  const read = async (options: Parameters<typeof define>[0], overrides = {}) => {
    const opened = open(lots(1), options, overrides)
    for (const _ of ['source', 'store', 'store']) {
      await opened.cache.getMany(['lot-0', '-'])
      await opened.cache.drain()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    return opened
  }

  it('loads a row that is read shortly before it expires, once each, and no negative entry', async () => {
    const { counts, loads } = await read({ ...due, notFoundTtl: 3_599_000 })
    expect(loads).toEqual([['lot-0', '-'], ['lot-0'], ['lot-0']])
    expect(counts).toMatchObject({ 'store miss': 2, 'store hit': 4, 'tick hit': 2, 'tick miss': 1 })
  })

  it('loads nothing long before that, nor without the option', async () => {
    expect((await read({ ...due, refreshAhead: '1m', staleFor: '1m' })).loads).toHaveLength(1)
    expect((await read({ ttl: due.ttl, staleFor: '1h' })).loads).toHaveLength(1)
    expect((await read({ ttl: due.ttl })).loads).toHaveLength(1)
  })

  it.each([
    ['a millisecond before it is due', -1, { 'store hit': 1 }, 0],
    ['from the millisecond on in which it is due', 0, { 'store hit': 1 }, 1],
    ['a millisecond before its ttl ends', 99, { 'store hit': 1 }, 1],
    ['from the millisecond on in which its ttl ends', 100, { 'miss expired': 1 }, 1],
  ])('knows the age of a row exactly: %s', async (_, dueForMs, expected, reloads) => {
    const startMs = Date.now()
    const now = jest.spyOn(Date, 'now').mockReturnValue(startMs)
    const random = jest.spyOn(Math, 'random').mockReturnValue(0)
    try {
      const { cache, counts, loads } = open(lots(1), { ttl: '1s', refreshAhead: '100ms', staleFor: '1h' })
      await cache.get('lot-0')
      await cache.drain()
      for (const name of Object.keys(counts)) delete counts[name]
      now.mockReturnValue(startMs + 900 + dueForMs)
      await cache.get('lot-0')
      await cache.drain()
      expect(counts).toMatchObject(expected)
      expect(loads).toHaveLength(1 + reloads)
    } finally {
      now.mockRestore()
      random.mockRestore()
    }
  })

  it('loads nothing that this process may not store yet, as its schema is new', async () => {
    const store = new FlakyStore(new MemoryStore())
    await new ModelCacheWrites({ store }).prepare()
    const old = createTestCache(define(due), lots(1), { store, consistency: { fenceMs: 1 } }).cache
    await eventually(async () => {
      await old.get('lot-0')
      return (await old.explain('lot-0')).stored.isHit
    })
    await old.drain()
    const { cache, counts, loads } = open(lots(1), due, { store })
    expect(await cache.get('lot-0')).toEqual(lots(1)[0])
    await cache.drain()
    expect(await cache.explain('lot-0')).toMatchObject({ mayFill: false, stored: { isHit: true } })
    expect([counts['store hit'], loads]).toEqual([1, []])
  })

  it('loads nothing under high pressure', async () => {
    expect((await read(due, { pressure: { value: 0.5 } })).loads).toHaveLength(1)
  })
})
