import { setTimeout as delay } from 'node:timers/promises'
import { type } from 'arktype'
import { observing } from '../../../../../test/support/observing.js'
import { MemoryStore } from '../../protocol/index.js'
import { maxIdLength } from '../../protocol/format/row-id.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'

interface Lot {
  id: string
  name: string
}
const schema = type({ id: 'string', name: 'string' })
const lots = defineModelCache<Lot>()({ model: 'Lot', schema, id: 'id', ttl: '1h' })
const longest = 'x'.repeat(maxIdLength)
const row = (id: string): Lot => ({ id, name: 'lot' })

function open(rows: Lot[], maxNotFoundBytes?: number) {
  const store = new FlakyStore(new MemoryStore())
  const { cache, loads } = createTestCache(lots, rows, {
    store,
    ...(maxNotFoundBytes !== undefined && { maxNotFoundBytes }),
  })
  return { cache, loads, store }
}

it('stores a row of the longest id, and reads that of a longer one from the source each time', async () => {
  const rows = [row(longest), row(`${longest}y`)]
  const { cache, loads } = open(rows)
  const ids = rows.map(({ id }) => id)
  for (let i = 0; i < 3; i++) expect(await cache.getMany(ids)).toEqual(rows)
  expect(loads.flat()).toEqual([`${longest}y`, longest, `${longest}y`, `${longest}y`])
})

it('sends nothing of a long id to the store', async () => {
  const { cache, store } = open([])
  expect(await cache.get(`${longest}y`)).toBeNull()
  await cache.drain()
  expect(store.calls.getMany ?? 0).toBe(0)
  expect(store.calls.leaseMany ?? 0).toBe(0)
})

it('counts reads of long ids', async () => {
  const misses: unknown[][] = []
  const observer = observing({ misses: (...args) => misses.push(args) })
  const { cache } = createTestCache(lots, [], { observer })
  await cache.getMany([`${longest}y`, `${longest}z`])
  await cache.get('a')
  expect(misses).toEqual([
    ['long_id', 2],
    ['not_cached', 1],
  ])
})

it('does not store such rows either when they are primed, or loaded with a list, nor keeps them in memory', async () => {
  const definition = defineModelCache<Lot>()({
    model: 'Lot',
    schema,
    id: 'id',
    ttl: '1h',
    l1: { ttl: '1h' },
    rows: 'shared',
    lists: { named: { by: 'name' } },
  })
  const rows = [row('a'), row(`${longest}y`)]
  const open = () => createTestCache(definition, rows).cache
  const states = async (
    read: (cache: ReturnType<typeof open>) => Promise<unknown>,
  ): Promise<readonly unknown[]> => {
    const cache = open()
    await read(cache)
    await cache.drain()
    const known = await Promise.all(rows.map(({ id }) => cache.explain(id)))
    return known.map(({ l1, stored }) => [l1!.isHeld, stored.isHit])
  }
  expect(await states((cache) => cache.prime(rows))).toEqual([
    [false, true],
    [false, false],
  ])
  expect(await states((cache) => cache.list('named', 'lot'))).toEqual([
    [true, true],
    [false, false],
  ])
})

it('sends nothing of a bigint to the store that no column has', async () => {
  const numbered = defineModelCache<{ id: bigint }>()({
    model: 'Lot',
    schema: type({ id: 'bigint' }),
    id: 'id',
    ttl: '1h',
  })
  const store = new FlakyStore(new MemoryStore())
  const { cache, loads } = createTestCache(numbered, [], { store })
  for (const id of [2n ** 64n, -(10n ** 10_000n)]) expect(await cache.get(id)).toBeNull()
  await cache.drain()
  expect([loads.length, store.calls.getMany ?? 0, store.calls.leaseMany ?? 0]).toEqual([2, 0, 0])
  await cache.get(2n ** 64n - 1n)
  expect(store.calls.leaseMany).toBe(1)
})

it('stores negative entries as far as the budget goes, and none without one', async () => {
  const { cache, loads } = open([], 1_000)
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  for (let i = 0; i < 2; i++) {
    expect(await cache.getMany(ids)).toEqual(ids.map(() => null))
    await cache.drain()
  }
  expect(loads).toEqual([ids, ids.slice(3)])
  const none = open([], 0)
  for (let i = 0; i < 2; i++) await none.cache.get('a').then(() => none.cache.drain())
  expect(none.loads).toEqual([['a'], ['a']])
})

describe('empty lists', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f']
  const listed = (notFoundTtl: string) =>
    createTestCache(
      defineModelCache<Lot>()({
        model: 'Lot',
        schema,
        id: 'id',
        ttl: '1h',
        notFoundTtl: notFoundTtl as '1s',
        lists: { named: { by: 'name' }, alsoNamed: { by: 'name' } },
      }),
      [],
      { maxNotFoundBytes: 1_000 },
    )

  it('beyond the budget for their ttl live no longer than negative entries', async () => {
    const { cache, finds } = listed('20ms')
    const read = async (some: readonly string[]): Promise<number> => {
      const before = finds.length
      expect(await cache.listMany('named', some)).toEqual(some.map(() => []))
      await cache.drain()
      return finds.length - before
    }
    expect(await read(keys.slice(0, 3))).toBe(1)
    await delay(30)
    expect(await read(keys.slice(3))).toBe(1)
    await delay(30)
    expect(await read(keys.slice(0, 3))).toBe(0)
    expect(await read(keys.slice(3))).toBe(1)
  })

  it('of all lists of a cache share the budget, also with negative entries', async () => {
    const { cache, finds, loads } = listed('1h')
    await cache.listMany('named', keys)
    await cache.drain()
    for (let i = 0; i < 2; i++) {
      await cache.listMany('alsoNamed', keys)
      await cache.getMany(keys)
      await cache.drain()
    }
    // Of six entries of the first list, three take the budget of lists, and three that of other entries.
    expect([finds.length, loads.length]).toEqual([3, 2])
    await cache.listMany('named', keys)
    expect(finds.length).toBe(3)
  })
})

it('refuses a budget that is none', () => {
  expect(() => open([], -1)).toThrow('option "maxNotFoundBytes" is -1')
})
