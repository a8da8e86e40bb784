import { type } from 'arktype'
import { MemoryStore } from '../../protocol/index.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'

interface Lot {
  id: number
  slug: string
  owner: string
  price: number
}
const schema = type({ id: 'number', slug: 'string', owner: 'string', price: 'number' })
const options = {
  model: 'Lot',
  schema,
  id: 'id',
  ttl: '10m',
  unique: { slug: 'slug' },
  lists: { ofOwner: { by: 'owner' }, ofOwnerAndPrice: { by: ['owner', 'price'] } },
} as const
const lots = defineModelCache<Lot>()(options)
const lot = (id: number, fields: Partial<Lot> = {}): Lot => ({
  id,
  slug: `lot-${id}`,
  owner: 'ada',
  price: 5,
  ...fields,
})

interface Place {
  hall: string
  place: number
}
const places = defineModelCache<Place>()({
  model: 'Place',
  schema: type({ hall: 'string', place: 'number' }),
  id: ['hall', 'place'],
  ttl: '10m',
})

describe('the status of a cache', () => {
  it('says under which epoch rows count, and that nothing is in memory without `l1`', async () => {
    const { cache } = createTestCache(lots, [lot(1)])
    const { inspected } = cache
    const { epoch, fingerprint, ...status } = await inspected.status()
    expect(epoch).toEqual(expect.any(String))
    expect(status).toEqual({
      fingerprints: [fingerprint],
      mayFill: true,
      mayFillInMs: 0,
      pending: 0,
      l1: undefined,
      hot: undefined,
    })
    expect(inspected.layout).toMatch(/^Lot:\{/)
    await cache.invalidateAll()
    expect((await inspected.status()).epoch).not.toBe(epoch)
  })

  it('says how much L1 holds, which a process without others may trust', async () => {
    const { cache } = createTestCache(defineModelCache<Lot>()({ ...options, l1: {} }), [lot(1)])
    expect((await cache.inspected.status()).l1).toEqual({ rows: 0, bytes: 0, isTrusted: true })
    await cache.get(1)
    await cache.drain()
    const { l1 } = await cache.inspected.status()
    expect(l1).toEqual({ rows: 1, bytes: expect.any(Number), isTrusted: true })
    expect(l1!.bytes).toBeGreaterThan(0)
  })

  it('has no epoch while the store does not answer', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { cache } = createTestCache(lots, [lot(1)], { store })
    store.fail()
    expect(await cache.inspected.status()).toMatchObject({ epoch: null, mayFill: false })
  })

  it('counts rows whose invalidation the store has not taken', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { cache } = createTestCache(lots, [lot(1)], { store })
    await cache.get(1)
    await cache.drain()
    store.fail('releaseFences', 'change')
    await cache.invalidate([1, 2])
    expect((await cache.inspected.status()).pending).toBe(2)
    store.recover()
    await cache.close()
  })
})

describe('ids and keys as people type them', () => {
  it('stand for those of rows', () => {
    const { inspected } = createTestCache(lots, []).cache
    expect([inspected.idOf('7'), inspected.textOf(7), inspected.textOfId(7)]).toEqual([7, '7', '7'])
    expect([inspected.isId('7'), inspected.isId('x'), inspected.isId('')]).toEqual([true, false, false])
    expect(() => inspected.idOf('x')).toThrow('ModelCache "Lot": id is "x"; expected a number.')
    expect(() => inspected.textOfId('x' as never)).toThrow('expected a finite number')
    expect(inspected.storeKeyOf('7')).toMatch(/^mc:\{Lot:.*\}:7:/)
  })

  it('are refused as ids if they are ones that no row has', () => {
    const { inspected } = createTestCache(
      defineModelCache<{ id: string }>()({ model: 'A', schema: type({ id: 'string' }), id: 'id', ttl: '1m' }),
      [],
    ).cache
    expect(['a', 'a\0', '\ud800'].map((text) => inspected.isId(text))).toEqual([true, false, false])
  })

  it('stand for ids of several fields, as JSON', () => {
    const { inspected } = createTestCache(places, []).cache
    const id = { hall: 'a', place: 1 }
    const text = JSON.stringify(id)
    expect([inspected.idOf(text), inspected.textOfId(id)]).toEqual([id, text])
    expect(() => inspected.idOf('a')).toThrow('expected JSON with "hall" (string), "place" (number)')
  })

  it('stand for keys of lookups', () => {
    const { inspected } = createTestCache(lots, []).cache
    const { key, lookup } = inspected.keyOf('ofOwner', 'ada')
    expect([lookup.bound.name, key]).toEqual(['ofOwner', 'ada'])
    const compound = inspected.keyOf('ofOwnerAndPrice', '{"owner":"ada","price":5}')
    expect([compound.lookup.bound.name, compound.key]).toEqual([
      'ofOwnerAndPrice',
      { owner: 'ada', price: 5 },
    ])
    expect(() => inspected.keyOf('ofOwnerAndPrice', 'ada')).toThrow(
      'ModelCache "Lot.ofOwnerAndPrice": key is "ada"; expected JSON with',
    )
    expect(() => inspected.keyOf('of', 'ada')).toThrow(
      'has no lookup "of"; its definition has slug, ofOwner, ofOwnerAndPrice.',
    )
  })
})

describe('what is stored of rows', () => {
  it('is shown in the order of their ids, and why a read would not use it', async () => {
    const { cache } = createTestCache(lots, [lot(1), lot(2)])
    await cache.getMany([1, 2, 3])
    await cache.drain()
    await cache.invalidate(2)
    const stored = await cache.inspected.storedOf(['3', '2', '1'])
    expect(stored).toMatchObject([
      { isHit: true, row: null },
      { isHit: false, reason: 'not_cached' },
      { isHit: true, row: lot(1) },
    ])
  })

  it('is explained, with its age', async () => {
    const { cache } = createTestCache(lots, [lot(1)])
    const { inspected } = cache
    expect((await inspected.examine('1')).explanation).toMatchObject({
      key: inspected.storeKeyOf('1'),
      stored: { isHit: false, reason: 'not_cached' },
      mayFill: true,
      guard: 'none',
      holders: [],
      lastMiss: undefined,
    })
    await cache.get(1)
    await cache.drain()
    const { explanation, stored } = await inspected.examine('1')
    expect(stored).toMatchObject({ isHit: true, row: lot(1) })
    expect(explanation).toMatchObject({
      stored: { isHit: true },
      lastMiss: { reason: 'not_cached' },
      l1: undefined,
      isInvalidationPending: false,
      fingerprints: [explanation.fingerprint],
    })
    if (!explanation.stored.isHit) throw new Error('must be stored')
    const { ageMs, expiresInMs } = explanation.stored
    // The ttl of each row is a little shorter, at random.
    expect(ageMs + expiresInMs).toBeLessThanOrEqual(600_000)
    expect(ageMs + expiresInMs).toBeGreaterThan(500_000)
    expect(ageMs).toBeGreaterThanOrEqual(0)
    expect(inspected.explainLocally('1')).toMatchObject({ lastMiss: { reason: 'not_cached' } })
    await expect(inspected.examine('x')).rejects.toThrow('id is "x"')
  })
})
