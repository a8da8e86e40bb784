import { type } from 'arktype'
import { createLoadSource } from '../../source/load-source.js'
import { MemoryStore } from '../../protocol/index.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'
import { Tick } from '../read/tick.js'
import { createLoadPermits, type LoadPermits } from './load-permits.js'
import { forCalls, SourceCall } from './source-call.js'

interface Lot {
  id: string
  slug: string
  owner: string
}
const schema = type({ id: 'string', slug: 'string', owner: 'string' })
const lots: Lot[] = [
  { id: 'lot 1', slug: 'vase', owner: 'ada' },
  { id: 'lot 2', slug: 'clock', owner: 'ada' },
]
const lotCache = defineModelCache<Lot>()({
  model: 'Lot',
  schema,
  id: 'id',
  ttl: '1h',
  unique: { slug: 'slug' },
  lists: { ofOwner: { by: 'owner' } },
})
interface Room {
  id: string
  lots: string
}
const roomCache = defineModelCache<Room>()({
  model: 'Room',
  schema: type({ id: 'string', lots: 'string' }),
  id: 'id',
  ttl: '1h',
})

/** Rooms, whose loads read lots, with one permit for all loads. The cache of lots has entries whose rows are gone from the store. */
async function house(readLots: (cache: ReturnType<typeof lotsIn>) => Promise<readonly (Lot | null)[]>) {
  const shared = { tick: new Tick(), loads: createLoadPermits(1) }
  const lotsCache = lotsIn(shared)
  const source = createLoadSource<Room, string>(async (_client, ids) => {
    const found = await readLots(lotsCache)
    return ids.map((id) => ({ id, lots: found.map((lot) => lot!.id).join() }))
  }, undefined)
  await readLots(lotsCache)
  await lotsCache.invalidate(lots.map(({ id }) => id))
  return createTestCache(roomCache, [], { ...shared, source }).cache
}
const lotsIn = (shared: { tick: Tick; loads: LoadPermits }) =>
  createTestCache(lotCache, [...lots], shared).cache

describe('the rows of a lookup that a load reads', () => {
  it('need no permit of their own: a unique key', async () => {
    const rooms = await house((cache) => cache.getManyBy('slug', ['vase', 'clock']))
    expect(await rooms.get('hall')).toEqual({ id: 'hall', lots: 'lot 1,lot 2' })
  })

  it('need no permit of their own: a list', async () => {
    const rooms = await house((cache) => cache.list('ofOwner', 'ada'))
    expect(await rooms.get('hall')).toEqual({ id: 'hall', lots: 'lot 1,lot 2' })
  })

  it('are given to callers outside of the load, when that has been given up', async () => {
    const store = new MemoryStore()
    const { cache: other } = createTestCache(lotCache, [...lots], { store })
    await other.list('ofOwner', 'ada')
    await other.drain()
    const { cache } = createTestCache(lotCache, [...lots], { store })
    await cache.get('lot 3')
    const answered = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const source = createLoadSource<Room, string>(async () => {
      const reading = cache.list('ofOwner', 'ada')
      begun.resolve()
      await reading
      return []
    }, undefined)
    const { cache: rooms } = createTestCache(roomCache, [], { source, loads: createLoadPermits(1, 5) })
    const read = store.getManyBytes.bind(store)
    store.getManyBytes = (keys) => answered.promise.then(() => read(keys))
    const hall = rooms.get('hall')
    await begun.promise
    const outside = cache.list('ofOwner', 'ada')
    await expect(hall).rejects.toMatchObject({ code: 'E_LOAD_TIMEOUT' })
    answered.resolve()
    expect(await outside).toEqual(lots)
  })

  it('are loaded for callers outside of the load as well, when that has been given up', async () => {
    const store = new MemoryStore()
    const { cache: other } = createTestCache(lotCache, [...lots], { store })
    await other.list('ofOwner', 'ada')
    await other.drain()
    await other.invalidate(lots.map(({ id }) => id))
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const { cache: rooms } = createTestCache(roomCache, [{ id: 'hall', lots: '' }])
    const source = createLoadSource<Lot, string>(async (_client, ids) => {
      begun.resolve()
      await held.promise
      await rooms.get('hall')
      return lots.filter(({ id }) => ids.includes(id))
    }, undefined)
    const find = () => Promise.reject(new Error('The store has the entry.'))
    const { cache } = createTestCache(lotCache, [], { store, source: { ...source, find } })
    const call = new SourceCall('Room', {}, [])
    const reads = [forCalls([call], () => cache.list('ofOwner', 'ada')), cache.list('ofOwner', 'ada')]
    await begun.promise
    await call.run(() => new Promise(() => {}), 1).catch(() => {})
    held.resolve()
    expect(await Promise.all(reads)).toEqual([lots, lots])
  })
})
