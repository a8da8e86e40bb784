import { jest } from '@jest/globals'
import { type } from 'arktype'
import { turns } from '../../../../../test/support/eventually.js'
import { recordedEvents } from '../../../../../test/support/recorded-events.js'
import { MemoryStore } from '../../protocol/index.js'
import { createLoadSource } from '../../source/load-source.js'
import { createTestCache } from '../../testing/test-cache.js'
import { createLoadPermits } from '../load/load-permits.js'
import { type CacheOptions, defineModelCache } from '../policy/definition.js'

interface Lot {
  id: number
  owner: string
}
const lots = (count: number, owner = 'ada', first = 1): Lot[] =>
  Array.from({ length: count }, (_, i) => ({ id: first + i, owner }))

const definitionOf = (options: Partial<CacheOptions> = {}) =>
  defineModelCache<Lot>()({
    model: 'Lot',
    schema: type({ id: 'number', owner: 'string' }),
    id: 'id',
    ttl: '10m',
    lists: { ofOwner: { by: 'owner', orderBy: { id: 'asc' } } },
    ...options,
  })

/** A cache that has loaded a list, and the keys of each call by which it reads the store, without registers. */
async function open(rows: Lot[], options: Partial<CacheOptions> = {}) {
  const store = new MemoryStore()
  const read = store.getManyBytes.bind(store)
  const calls: string[][] = []
  store.getManyBytes = (keys) => {
    const found = keys.flatMap((key) => /:\d+\}:([^:]+):/.exec(key)?.[1] ?? [])
    if (found.length > 0) calls.push(found)
    return read(keys)
  }
  const events = recordedEvents()
  const created = createTestCache(definitionOf(options), rows, { store, observer: events.observer })
  const { cache } = created
  const list = (owner = 'ada'): Promise<Lot[]> => cache.list('ofOwner', owner)
  const callsOf = async (run: () => Promise<unknown>): Promise<string[][]> => {
    calls.length = 0
    events.forget()
    await run()
    await cache.drain()
    return calls.map((keys) => keys.map((key) => key.replace(/^ofOwner=.*/, 'list')))
  }
  await list()
  await cache.drain()
  return { ...created, store, events, list, callsOf }
}

it('reads what a list named last together with it, and counts it as any other read', async () => {
  const { callsOf, events, finds, list, loads } = await open(lots(2))
  expect(await callsOf(list)).toEqual([['1', '2'], ['list']])
  expect(events.of('reads')).toEqual([['store', 'hit', 2]])
  expect(events.of('readSeconds')).toEqual([[expect.any(Number), 2, 'hit']])
  expect(events.of('reads', 'ofOwner')).toEqual([['store', 'hit', 1]])
  expect([finds.length, loads.length]).toEqual([1, 0])
})

it('gives callers rows of their own', async () => {
  const { list } = await open(lots(1))
  const [[one], [other]] = await Promise.all([list(), list()])
  one!.owner = 'changed'
  expect([other, await list()]).toEqual([{ id: 1, owner: 'ada' }, lots(1)])
})

it('loads a row that the store lacks as any other, once', async () => {
  const { cache, events, list, loads } = await open(lots(2))
  await cache.invalidate(2)
  events.forget()
  expect(await list()).toEqual(lots(2))
  expect(loads).toEqual([[2]])
  expect(events.of('misses')).toEqual([['not_cached', 1]])
})

it('asks the source for none while the store does not answer', async () => {
  const { finds, list, loads, store } = await open(lots(2))
  store.getManyBytes = () => Promise.reject(new Error('down'))
  store.getMany = () => Promise.reject(new Error('down'))
  expect(await list()).toEqual(lots(2))
  expect([finds.length, loads.length]).toEqual([2, 0])
})

it('has rows loaded again that expire soon', async () => {
  // All live nine tenths of their ttl.
  const random = jest.spyOn(Math, 'random').mockReturnValue(1)
  const { list, loads } = await open(lots(1), { ttl: '10m', refreshAhead: '9m' })
  await list()
  await turns(4)
  expect(loads).toEqual([[1]])
  random.mockRestore()
})

it.each([
  [1, true],
  [32, true],
  [33, false],
])('expects lists of a few rows only: %i', async (count, isExpected) => {
  const opened = await open(lots(count))
  const { callsOf, list } = opened
  const calls = await callsOf(list)
  expect(calls.findIndex((keys) => keys.includes('list'))).toBe(isExpected ? 1 : 0)
})

it('expects none in a tick of many reads', async () => {
  const owners = Array.from({ length: 17 }, (_, i) => `owner ${i}`)
  const { callsOf, list } = await open(owners.flatMap((owner, i) => lots(1, owner, 1 + i)))
  const read = (count: number) => (): Promise<unknown> => Promise.all(owners.slice(0, count).map(list))
  await read(17)()
  expect((await callsOf(read(17)))[0]).toEqual(Array(17).fill('list'))
  expect((await callsOf(read(16)))[0]).toEqual(Array.from({ length: 16 }, (_, i) => String(1 + i)))
})

it.each(['the same process', 'another one'])(
  'has the rows after a write of %s, for a read that joins one which waits for its load',
  async (writer) => {
    const store = new MemoryStore()
    const rows = [{ id: 1, owner: 'ada', name: 'old' }]
    const gate = Promise.withResolvers<void>()
    const source = {
      ...createLoadSource<(typeof rows)[0], number>(async (_, ids) => {
        if (ids.includes(99)) await gate.promise
        return rows.filter(({ id }) => ids.includes(id))
      }, undefined),
      find: async () => rows,
    }
    const definition = defineModelCache<(typeof rows)[0]>()({
      model: 'Lot',
      schema: type({ id: 'number', owner: 'string', name: 'string' }),
      id: 'id',
      ttl: '10m',
      lists: { ofOwner: { by: 'owner', orderBy: { id: 'asc' } } },
    })
    const { cache } = createTestCache(definition, rows, { store, source, loads: createLoadPermits(1) })
    const { cache: other } = createTestCache(definition, rows, { store })
    const list = () => cache.list('ofOwner', 'ada')
    await list()
    await cache.drain()
    await other.list('ofOwner', 'ada')
    await other.invalidateBy('ofOwner', 'ada')
    // Takes the only permit, so that the list waits for one.
    const slow = cache.get(99)
    await turns(4)
    const first = list()
    await turns(4)
    rows[0]!.name = 'new'
    await (writer === 'another one' ? other : cache).invalidate(1)
    const second = list()
    await turns(4)
    await other.list('ofOwner', 'ada')
    await other.drain()
    gate.resolve()
    expect([await second, await slow, (await first).length]).toMatchObject([[{ name: 'new' }], null, 1])
  },
)

it('expects the same when a caller has changed its row', async () => {
  const definition = defineModelCache<{ at: Date; owner: string }>()({
    model: 'Slot',
    schema: type({ at: 'Date', owner: 'string' }),
    id: 'at' as never,
    ttl: '10m',
    lists: { ofOwner: { by: 'owner', orderBy: { at: 'asc' } } },
  })
  const row = () => ({ at: new Date(0), owner: 'ada' })
  const { cache } = createTestCache(definition, [row()], { store: new MemoryStore() })
  const [first] = await cache.list('ofOwner', 'ada')
  first!.at.setTime(NaN)
  await cache.drain()
  expect(await cache.list('ofOwner', 'ada')).toEqual([row()])
})

it('forgets the list that it has known longest', async () => {
  const owners = Array.from({ length: 1_001 }, (_, i) => `owner ${i}`)
  const { callsOf, list } = await open(owners.flatMap((owner, i) => lots(1, owner, 1 + i)))
  for (let i = 0; i < owners.length; i += 100) await Promise.all(owners.slice(i, i + 100).map(list))
  const readsBoth = async (i: number) => (await callsOf(() => list(owners[i])))[0]![0] === String(i + 1)
  // The first becomes known again, instead of the second.
  expect([await readsBoth(0), await readsBoth(2), await readsBoth(0), await readsBoth(1)]).toEqual([
    false,
    true,
    true,
    false,
  ])
})

it('expects none of a list that is never stored', async () => {
  const owner = 'x'.repeat(100_000)
  const { callsOf, list } = await open(lots(1, owner))
  await list(owner)
  expect(await callsOf(() => list(owner))).toEqual([])
})

it('counts rows once where the list names others', async () => {
  const { callsOf, events, list, rows, store } = await open(lots(2))
  rows.push(...lots(1, 'ada', 3))
  const { cache: other } = createTestCache(definitionOf(), rows, { store })
  await other.invalidateBy('ofOwner', 'ada')
  await other.list('ofOwner', 'ada')
  await other.drain()
  expect((await callsOf(list)).at(-1)).toEqual(['1', '2', '3'])
  expect(events.of('readSeconds')).toEqual([[expect.any(Number), 3, 'hit']])
  expect(events.of('reads')).toEqual([['store', 'hit', 3]])
})
