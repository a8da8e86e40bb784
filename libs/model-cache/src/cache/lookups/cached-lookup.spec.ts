import { type } from 'arktype'
import { turns } from '../../../../../test/support/eventually.js'
import { recordedEvents } from '../../../../../test/support/recorded-events.js'
import type { CreateModelCacheOptions } from '../../create-model-cache.js'
import { bindDefinition } from '../../definitions/bind-definition.js'
import { MemoryStore, ModelCacheWrites, type TransactionScope } from '../../protocol/index.js'
import { createTestCache, rowFinder } from '../../testing/test-cache.js'
import { type CacheOptions, defineModelCache } from '../policy/definition.js'

interface Lot {
  id: number
  owner: string
  place: number
}
const lot = (id: number, fields: Partial<Lot> = {}): Lot => ({ id, owner: 'ada', place: id, ...fields })

function open(
  rows: Lot[],
  options: Partial<CacheOptions> = {},
  overrides: Partial<CreateModelCacheOptions<Lot, number>> = {},
) {
  const definition = defineModelCache<Lot>()({
    model: 'Lot',
    schema: type({ id: 'number', owner: 'string', place: 'number' }),
    id: 'id',
    ttl: '10m',
    lists: { ofOwner: { by: 'owner' }, at: { by: ['owner', 'place'] }, withId: { by: 'id' } },
    ...options,
  })
  const clients: unknown[] = []
  const state = { onFind: async () => {} }
  const find = rowFinder(bindDefinition(definition, undefined).lookups)
  const events = recordedEvents()
  const { cache } = createTestCache(definition, [], {
    observer: events.observer,
    source: {
      load: async (ids) => rows.filter(({ id }) => ids.includes(id)).map((row) => ({ ...row })),
      find: async (query, client) => {
        clients.push(client)
        await state.onFind()
        return find(rows, query).map((row) => ({ ...row }))
      },
      mayBlameOneId: () => false,
    },
    ...overrides,
  })
  const lookup = cache.inspected.keyOf('ofOwner', 'ada').lookup
  const fill = async (): Promise<void> => {
    await lookup.find('ada')
    await cache.drain()
    events.forget()
  }
  return { cache, clients, events, fill, lookup, rows, state }
}

it.each([{ rows: 'copies' }, { rows: 'shared' }] as const)(
  'gives each caller an array of its own: %j',
  async (options) => {
    const { cache, fill, lookup } = open([lot(1)], options)
    for (const _ of ['source', 'store']) {
      const [one, other] = await Promise.all([lookup.find('ada'), lookup.find('ada')])
      one!.length = 0
      expect(other).toEqual([lot(1)])
      const [first, second] = await lookup.findMany(['ada', 'ada'])
      first!.length = 0
      expect(second).toEqual([lot(1)])
      await cache.drain()
    }
    await fill()
  },
)

it('answers from memory at once if shared rows are in it', async () => {
  const { events, fill, lookup } = open([lot(1)], { rows: 'shared', l1: { ttl: '1m' } })
  await fill()
  expect(await lookup.findMany(['ada', 'ada'])).toEqual([[lot(1)], [lot(1)]])
  expect(await lookup.find('ada')).toEqual([lot(1)])
  await new Promise(setImmediate)
  expect([events.of('reads', 'ofOwner'), events.of('batchKeys', 'ofOwner')]).toEqual([[['l1', 'hit', 3]], []])
})

it('answers from memory for the key as it is now, where a caller changes its key within a turn', async () => {
  interface Post {
    id: number
    tenant: string
    day: Date
  }
  const posts = [1, 2].map((id): Post => ({ id, tenant: `tenant ${id}`, day: new Date(id) }))
  const definition = defineModelCache<Post>()({
    model: 'Post',
    schema: type({ id: 'number', tenant: 'string', day: 'Date' }),
    id: 'id',
    ttl: '10m',
    l1: { ttl: '1m' },
    rows: 'shared',
    lists: { of: { by: ['tenant', 'id'] }, onDay: { by: 'day' } },
  })
  const { cache, finds } = createTestCache(definition, posts)
  for (const { id, tenant, day } of [...posts, ...posts]) {
    await cache.list('of', { tenant, id })
    await cache.list('onDay', day)
    await cache.drain()
  }
  const loads = finds.length
  const [key, at] = [{ tenant: '', id: 0 }, new Date(0)]
  const found: number[] = []
  for (const { id, tenant } of posts) {
    Object.assign(key, { tenant, id })
    at.setTime(id)
    for (const rows of await Promise.all([cache.list('of', key), cache.list('onDay', at)]))
      found.push(rows[0]!.id)
  }
  expect([found, finds.length]).toEqual([[1, 1, 2, 2], loads])
})

it('answers from memory with a row that was delivered within the turn', async () => {
  const store = new MemoryStore()
  const { cache, fill, lookup, rows, state } = open(
    [lot(1)],
    { rows: 'shared', l1: { ttl: '1m' } },
    { store },
  )
  await fill()
  const other = open(rows, {}, { store })
  const gate = Promise.withResolvers<void>()
  state.onFind = () => gate.promise
  const loading = cache.list('withId', 1)
  await turns(6)
  rows[0] = lot(1, { place: 2 })
  await other.cache.invalidate(1)
  const before = await lookup.find('ada')
  gate.resolve()
  expect([before, await loading, await lookup.find('ada')]).toEqual([[lot(1)], rows, rows])
})

it.each([{ l1: { ttl: '1m' } }, { rows: 'shared' }] as const)(
  'reads in its tick otherwise: %j',
  async (options) => {
    const { events, fill, lookup } = open([lot(1)], options)
    await fill()
    expect(await lookup.findMany(['ada', 'bob'])).toEqual([[lot(1)], []])
    expect(events.of('batchKeys', 'ofOwner')).toEqual([[2]])
  },
)

describe('within a transaction', () => {
  function openWithin(options: Partial<CacheOptions>) {
    const client = {}
    const scope = { client, isOver: false } as TransactionScope
    let current: TransactionScope | undefined
    const writes = Object.assign(new ModelCacheWrites(), { current: () => current })
    const opened = open([lot(1), { ...lot(2), more: 1 } as Lot], options, { writes })
    const begin = (): void => void (current = scope)
    return { ...opened, begin, client }
  }

  it.each([{}, { rows: 'shared', l1: { ttl: '1m' } }] as const)(
    'lists are read through its client, and their rows have the form of others: %j',
    async (options) => {
      const { begin, client, clients, fill, lookup, rows } = openWithin(options)
      await fill()
      begin()
      rows.push(lot(3))
      expect(await lookup.find('ada')).toStrictEqual([lot(1), lot(2), lot(3)])
      expect(await lookup.findMany(['ada', 'bob'])).toStrictEqual([[lot(1), lot(2), lot(3)], []])
      expect(clients).toEqual([undefined, client, client])
      expect(clients.slice(1).every((each) => each === client)).toBe(true)
    },
  )
})
