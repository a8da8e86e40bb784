import { type } from 'arktype'
import { MemoryStore } from '../../store/memory-store.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'
import { maxIdLength } from './read-path.js'

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

it('refuses a budget that is none', () => {
  expect(() => open([], -1)).toThrow('option "maxNotFoundBytes" is -1')
})
