import { type } from 'arktype'
import { InvalidIdError } from '../../errors.js'
import { createLoadSource } from '../../source/load-source.js'
import { createTestCache } from '../../testing/test-cache.js'
import type { CacheContext } from '../context.js'
import { defineModelCache } from '../policy/definition.js'
import type { ModelObserver } from '../telemetry/observer.js'
import { L1Reads, maxPerTurn } from './l1-reads.js'
import type { L1 } from './l1.js'

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

describe('requests for rows that L1 has', () => {
  const row: Lot = { id: 'a', price: 1 }

  /** Rows of an L1 that has row a, and no row b. */
  function open(backplane?: { isUp: boolean }) {
    const counts: unknown[][] = []
    const observer = {
      reads: (...args: unknown[]) => counts.push(args),
      readSeconds: (...args: unknown[]) => counts.push(args),
    }
    const context = {
      model: { keys: { toRowId: (id: string) => id } },
      coherence: { backplane },
      telemetry: { observer },
    } as unknown as CacheContext<Lot, string>
    const l1 = { get: (id: string) => (id === 'a' ? row : undefined) } as unknown as L1<Lot>
    const collected: unknown[] = []
    const collector = {
      isEmpty: false,
      get: async (id: string) => (collected.push(id), null),
      getMany: async (ids: readonly string[]) => (collected.push(ids), ids.map(() => null)),
    }
    return { l1Reads: new L1Reads(context, l1, collector), collector, collected, counts }
  }

  it.each([
    ['a store of one process', undefined, true],
    ['messages that arrive', { isUp: true }, true],
    ['messages that do not arrive', { isUp: false }, false],
  ])('use L1 with %s: %p', async (_, backplane, isUsed) => {
    const { collected, l1Reads } = open(backplane)
    expect([await l1Reads.get('a'), await l1Reads.getMany(['a'])]).toEqual(
      isUsed ? [row, [row]] : [null, [null]],
    )
    expect(collected).toEqual(isUsed ? [] : ['a', ['a']])
  })

  it('are counted once for each turn, as reads that took no time', async () => {
    const { counts, l1Reads } = open()
    for (const _ of ['this turn', 'the next']) {
      await Promise.all([l1Reads.get('a'), l1Reads.getMany(['a', 'a']), l1Reads.get('a')])
      await new Promise(setImmediate)
    }
    const turn = [
      ['l1', 'hit', 4],
      [0, 4, 'hit'],
    ]
    expect(counts).toEqual([...turn, ...turn])
  })

  it('are left to the tick once a turn has had as many as it may have', async () => {
    const { collected, counts, l1Reads } = open()
    for (let i = 0; i < maxPerTurn; i++) void l1Reads.get('a')
    expect(collected).toEqual([])
    void l1Reads.get('a')
    expect(collected).toEqual(['a'])
    await new Promise(setImmediate)
    expect(counts[0]).toEqual(['l1', 'hit', maxPerTurn])
    expect(await l1Reads.get('a')).toBe(row)
    await new Promise(setImmediate)
  })

  it('wait for the end of the tick if others do', () => {
    const { collector, l1Reads } = open()
    expect(l1Reads.isEmpty).toBe(false)
    collector.isEmpty = true
    expect(l1Reads.isEmpty).toBe(true)
  })
})
