import { type } from 'arktype'
import { InvalidIdError } from '../../errors.js'
import { createLoadSource } from '../../source/load-source.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'
import type { ModelObserver } from '../telemetry/observer.js'

interface Lot {
  id: string
  price: number
}
const define = (rows: 'shared' | 'copies') =>
  defineModelCache<Lot>()({
    model: 'Lot',
    schema: type({ id: 'string', price: 'number' }),
    id: 'id',
    ttl: '1m',
    l1: { ttl: '1m', maxEntries: 1_000 },
    rows,
  })

function open(rows: 'shared' | 'copies' = 'shared') {
  const hits: number[] = []
  const observer = new Proxy({} as ModelObserver, {
    get: (_, name) => (layer: string, outcome: string, count: number) => {
      if (name === 'reads' && layer === 'l1' && outcome === 'hit') hits.push(count)
    },
  })
  const lots = Array.from({ length: 300 }, (_, n): Lot => ({ id: `lot ${n}`, price: n }))
  const opened = createTestCache(define(rows), lots, {
    observer: { forModel: () => observer, storeChanged: () => {} },
  })
  return { ...opened, hits, ids: lots.map(({ id }) => id) }
}

/** Whether a read is answered before the event loop turns. */
async function isAtOnce(read: () => Promise<unknown>): Promise<boolean> {
  let turned = false
  const turn = new Promise<void>((resolve) => {
    setImmediate(() => {
      turned = true
      resolve()
    })
  })
  await read()
  const atOnce = !turned
  await turn
  return atOnce
}

describe('shared rows that L1 has', () => {
  it('are returned at once, one and the same to all', async () => {
    const { cache, loads, hits } = open()
    expect(await isAtOnce(() => cache.get('lot 1'))).toBe(false)
    expect(await isAtOnce(() => cache.get('lot 1'))).toBe(true)
    const [one, other] = await Promise.all([cache.get('lot 1'), cache.getMany(['lot 1'])])
    expect(one).toEqual({ id: 'lot 1', price: 1 })
    expect(other[0]).toBe(one)
    await new Promise(setImmediate)
    expect([loads.length, hits.reduce((sum, count) => sum + count)]).toEqual([1, 3])
  })

  it('are returned at once with rows that do not exist', async () => {
    const load = createLoadSource<Lot, string>(() => [], undefined)
    const { cache } = createTestCache(define('shared'), [], { source: { ...load, isCanonical: () => true } })
    // From the source, then from the store, where L1 gets it from.
    for (const _ of ['source', 'store']) {
      await cache.get('none')
      await cache.drain()
    }
    expect(await isAtOnce(() => cache.get('none'))).toBe(true)
    expect(await cache.getMany(['none', 'none'])).toEqual([null, null])
  })

  it('are read again after a write', async () => {
    const { cache, rows } = open()
    await cache.get('lot 1')
    rows[1] = { id: 'lot 1', price: 7 }
    await cache.invalidate('lot 1')
    expect(await cache.get('lot 1')).toEqual({ id: 'lot 1', price: 7 })
    await cache.invalidateAll()
    expect(await isAtOnce(() => cache.get('lot 1'))).toBe(false)
  })

  it('wait for the tick with others that L1 does not have, and in large numbers', async () => {
    const { cache, ids } = open()
    await cache.getMany(ids)
    expect(await isAtOnce(() => cache.getMany(ids.slice(0, 250)))).toBe(true)
    expect(await isAtOnce(() => cache.getMany(ids.slice(0, 251)))).toBe(false)
    expect(await isAtOnce(() => cache.getMany(['lot 1', 'none']))).toBe(false)
    expect(await cache.getMany(['none', 'lot 2'])).toEqual([null, { id: 'lot 2', price: 2 }])
  })

  it('do not keep the event loop from turning, however long a caller reads them', async () => {
    const { cache } = open()
    await cache.get('lot 1')
    await cache.drain()
    const turns: number[] = []
    setImmediate(() => turns.push(1))
    for (let reads = 0; reads < 20_000 && turns.length === 0; reads++) await cache.get('lot 1')
    expect(turns).toEqual([1])
  })

  it('leave invalid ids to the tick', async () => {
    const { cache } = open()
    await expect(cache.get(5 as never)).rejects.toThrow(InvalidIdError)
    await expect(cache.getMany([5 as never])).rejects.toThrow(InvalidIdError)
  })

  it('are copied in time slices where callers get rows of their own', async () => {
    const { cache } = open('copies')
    await cache.get('lot 1')
    expect(await isAtOnce(() => cache.get('lot 1'))).toBe(false)
  })
})
