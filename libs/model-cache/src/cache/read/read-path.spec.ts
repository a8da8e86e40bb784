import { setTimeout as delay } from 'node:timers/promises'
import { type } from 'arktype'
import { Slicer } from '@model-cache/event-loop/internal'
import { eventually, eventuallyEqual, turns } from '../../../../../test/support/eventually.js'
import { observing } from '../../../../../test/support/observing.js'
import { defineUsers, type User, user } from '../../../../../test/support/user-caches.js'
import { json } from '../../codec/row-types.js'
import { createLoadSource } from '../../source/load-source.js'
import type { Source } from '../../source/source.js'
import { MemoryStore } from '../../protocol/index.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'
import { createLoadPermits } from '../load/load-permits.js'

const manyUsers = (count: number): User[] => Array.from({ length: count }, (_, i) => user(`u${i}`))
const idsOf = (rows: readonly User[]): string[] => rows.map(({ id }) => id)

/** A source whose loads wait until they are released. */
function gatedSource(): { source: Source<User, string>; open: () => void; loads: number[]; atOnce: number } {
  const waiting: (() => void)[] = []
  let running = 0
  const gated = {
    loads: [] as number[],
    atOnce: 0,
    open: () => waiting.splice(0).forEach((go) => go()),
    source: {
      load: async (ids: readonly string[]) => {
        gated.loads.push(ids.length)
        gated.atOnce = Math.max(gated.atOnce, ++running)
        await new Promise<void>((resolve) => waiting.push(resolve))
        running--
        return ids.map((id) => user(id))
      },
      mayBlameOneId: () => false,
    },
  }
  return gated
}

describe('a burst of reads', () => {
  it.each(['hits', 'misses'] as const)('is answered in time slices (%s)', async (state) => {
    const rows = manyUsers(5_000)
    const stretches: number[] = []
    const observer = observing({ syncSeconds: (_, seconds) => stretches.push(seconds) })
    const slicer = new Slicer({ budgetMs: 0.1 })
    const { cache } = createTestCache(defineUsers(), rows, { slicer, observer })
    if (state === 'hits') await cache.prime(rows)
    stretches.length = 0
    expect(await cache.getMany(idsOf(rows))).toStrictEqual(rows)
    // A row takes a third of a microsecond or more, so of five thousand no more than a few hundred fit into a slice.
    expect(stretches.length).toBeGreaterThan(10)
  })

  it('copies one row for thousands of callers in time slices', async () => {
    const stretches: number[] = []
    const observer = observing({ syncSeconds: (op, seconds) => op === 'copy' && stretches.push(seconds) })
    const slicer = new Slicer({ budgetMs: 0.1 })
    const { cache } = createTestCache(defineUsers(), [user('a')], { slicer, observer })
    const answers = await cache.getMany(Array<string>(20_000).fill('a'))
    expect(new Set(answers).size).toBe(20_000)
    expect(answers.at(-1)).toStrictEqual(user('a'))
    expect(stretches.length).toBeGreaterThan(10)
  })

  it('makes copies of a large row one at a time', async () => {
    const schema = type({ id: 'string', data: json.as<{ i: number[] }[]>() })
    const large = { id: 'a', data: Array.from({ length: 20_000 }, (_, i) => ({ i: [i] })) }
    const definition = defineModelCache<typeof large>()({ model: 'Large', schema, id: 'id', ttl: '10m' })
    const stretches: number[] = []
    const observer = observing({ syncSeconds: (op, seconds) => op === 'copy' && stretches.push(seconds) })
    const slicer = new Slicer({ budgetMs: 0.1 })
    const { cache } = createTestCache(definition, [large], { slicer, observer })
    await Promise.all(Array.from({ length: 40 }, () => cache.get('a')))
    // Each takes more than a turn has; sixteen at once would be three stretches.
    expect(stretches.length).toBeGreaterThan(20)
  })

  it('reads the store in chunks, and the source once', async () => {
    const rows = manyUsers(1_001)
    const store = new FlakyStore(new MemoryStore())
    const { cache, loads } = createTestCache(defineUsers(), rows, { store })
    await cache.getMany(idsOf(rows))
    expect(store.calls.getMany).toBe(2 + 5)
    expect(loads.map((ids) => ids.length)).toEqual([1_001])
  })
})

describe('loads', () => {
  it('run no more at once than there are permits, over all models', async () => {
    const gated = gatedSource()
    const loads = createLoadPermits(2)
    const caches = ['A', 'B', 'C', 'D'].map(
      (name) => createTestCache(defineUsers({ name }), [], { source: gated.source, loads }).cache,
    )
    const answers = Promise.all(caches.map((cache) => cache.get('x')))
    for (const begun of [2, 4]) {
      await eventuallyEqual(() => gated.loads.length, begun)
      // For a third that would not wait.
      await turns()
      gated.open()
    }
    await answers
    expect(gated.loads).toEqual([1, 1, 1, 1])
    expect(gated.atOnce).toBe(2)
  })

  it('grow in size while they wait for a permit', async () => {
    const gated = gatedSource()
    const { cache } = createTestCache(defineUsers(), [], {
      source: gated.source,
      loads: createLoadPermits(1),
    })
    const answers = [cache.get('a')]
    await eventuallyEqual(() => gated.loads.length, 1)
    for (const id of ['b', 'c', 'd', 'b']) {
      await turns(2)
      answers.push(cache.get(id))
    }
    // More than it takes them to be queued.
    await turns()
    gated.open()
    await eventuallyEqual(() => gated.loads.length, 2)
    gated.open()
    expect((await Promise.all(answers)).map((row) => row!.id)).toEqual(['a', 'b', 'c', 'd', 'b'])
    expect(gated.loads).toEqual([1, 3])
  })

  it('are divided by the maxIds of the source', async () => {
    const sizes: number[] = []
    const source: Source<User, string> = {
      maxIds: 400,
      load: async (ids) => {
        sizes.push(ids.length)
        return ids.map((id) => user(id))
      },
      mayBlameOneId: () => false,
    }
    const { cache } = createTestCache(defineUsers(), [], { source })
    await cache.getMany(idsOf(manyUsers(1_000)))
    expect(sizes).toEqual([400, 400, 200])
  })

  it('take the leases of each call of the source in another turn of the event loop', async () => {
    let turn = 0
    let isOver = false
    const count = (): void => {
      turn++
      if (!isOver) setImmediate(count)
    }
    const turns: number[] = []
    const store = new MemoryStore()
    const leaseMany = store.leaseMany.bind(store)
    store.leaseMany = (...asked) => {
      turns.push(turn)
      return leaseMany(...asked)
    }
    const ids = idsOf(manyUsers(40_000))
    const source: Source<User, string> = {
      maxIds: 5_000,
      load: async (some) => some.map((id) => user(id)),
      mayBlameOneId: () => false,
    }
    const { cache } = createTestCache(defineUsers(), [], { store, source })
    count()
    const rows = await cache.getMany(ids)
    isOver = true
    expect(rows.map((row) => row!.id)).toEqual(ids)
    expect(turns).toEqual([...new Set(turns)])
    expect(turns.length).toBeGreaterThanOrEqual(8)
  })
})

describe('rows in L1', () => {
  const l1 = { ttl: '1m' } as const

  it('are read without store and source', async () => {
    const reads: string[] = []
    const observer = observing({
      reads: (layer, outcome, count) => reads.push(`${layer} ${outcome} ${count}`),
    })
    const store = new FlakyStore(new MemoryStore())
    const { cache, loads } = createTestCache(defineUsers({ l1 }), [user('a')], { store, observer })
    await cache.getMany(['a', '-'])
    await cache.drain()
    const calls = store.calls.getMany
    reads.length = 0
    expect(await cache.getMany(['a', '-'])).toStrictEqual([user('a'), null])
    expect(store.calls.getMany).toBe(calls)
    expect(loads).toHaveLength(1)
    await cache.drain()
    expect(reads).toEqual(['l1 hit 2'])
  })

  it('are not changed by what callers do to their rows', async () => {
    const { cache } = createTestCache(defineUsers({ l1 }), [user('a')])
    for (let i = 0; i < 3; i++) {
      const [first, second] = await cache.getMany(['a', 'a'])
      expect([first, second]).toStrictEqual([user('a'), user('a')])
      first!.name = 'changed'
      first!.bornAt.setTime(0)
      second!.bornAt.setTime(0)
      await cache.drain()
    }
  })

  it.each(['invalidate', 'invalidateAll'] as const)('are gone after %s', async (method) => {
    const { cache, rows } = createTestCache(defineUsers({ l1 }), [user('a')])
    await cache.get('a')
    rows[0] = user('a', 'new')
    await cache[method](['a'])
    expect((await cache.get('a'))!.name).toBe('new')
  })

  it('are not kept when they were invalidated while being read', async () => {
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const store = new MemoryStore()
    const { cache, rows } = createTestCache(defineUsers({ l1 }), [user('a', 'old')], { store })
    await createTestCache(defineUsers(), rows).cache.get('a')
    await cache.get('a')
    await cache.drain()
    const other = createTestCache(defineUsers({ l1 }), rows, { store })
    const getManyBytes = store.getManyBytes.bind(store)
    store.getManyBytes = async (keys) => {
      const values = await getManyBytes(keys)
      asked.resolve()
      await gate.promise
      return values
    }
    const before = other.cache.get('a')
    await asked.promise
    rows[0] = user('a', 'new')
    const invalidated = other.cache.invalidate('a')
    gate.resolve()
    await invalidated
    expect((await before)!.name).toBe('old')
    expect((await other.cache.get('a'))!.name).toBe('new')
  })

  it('expire', async () => {
    const { cache, loads } = createTestCache(defineUsers({ l1: { ttl: '20ms' }, ttl: '30ms' }), [user('a')])
    await cache.get('a')
    await cache.drain()
    await delay(60)
    await cache.get('a')
    expect(loads).toHaveLength(2)
  })

  it('are bounded in number and in bytes', async () => {
    const rows = manyUsers(50)
    for (const bounds of [{ maxEntries: 10 }, { maxBytes: 10_000 }]) {
      const store = new FlakyStore(new MemoryStore())
      const { cache } = createTestCache(defineUsers({ l1: { ...l1, ...bounds } }), rows, { store })
      await cache.getMany(idsOf(rows))
      await cache.drain()
      const keysAsked: string[] = []
      const getManyBytes = store.getManyBytes.bind(store)
      store.getManyBytes = (keys) => {
        keysAsked.push(...keys)
        return getManyBytes(keys)
      }
      await cache.getMany(idsOf(rows))
      // Of the fifty at most ten, or ten thousand bytes, were there.
      expect(keysAsked.length).toBeGreaterThan(30)
      expect(keysAsked.length).toBeLessThan(51)
    }
  })

  it('are served while the store is unavailable', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { cache, loads } = createTestCache(defineUsers({ l1 }), [user('a')], { store })
    await cache.get('a')
    await cache.drain()
    store.fail()
    await cache.get('a')
    expect(loads).toHaveLength(1)
  })

  it('are kept only if the store has taken them, as others may have been written meanwhile', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { cache, loads } = createTestCache(defineUsers({ l1 }), [user('a')], { store })
    store.fail('fillMany')
    await cache.get('a')
    await cache.drain()
    await cache.get('a')
    expect(loads).toHaveLength(2)
  })
})

describe('hot rows in L1', () => {
  const l1 = { ttl: '1m', hot: 3 } as const
  const openCounted = (options: Parameters<typeof defineUsers>[0] = {}) => {
    const store = new FlakyStore(new MemoryStore())
    const opened = createTestCache(defineUsers({ l1, ...options }), [user('a'), user('b')], { store })
    return { ...opened, store, readsOfStore: () => store.calls.getMany }
  }

  it.each(['copies', 'shared'] as const)('are those that are read often (%s)', async (rows) => {
    const { cache, readsOfStore } = openCounted({ rows })
    await cache.get('b')
    // On a busy machine the second in which reads are counted may end in between.
    await eventually(async () => {
      for (let i = 0; i < l1.hot; i++) await cache.get('a')
      await cache.drain()
      await cache.get('a')
      const before = readsOfStore()
      for (let i = 0; i < 5; i++) expect(await cache.get('a')).toEqual(user('a'))
      return readsOfStore() === before
    })
    const before = readsOfStore()
    await cache.get('b')
    expect(readsOfStore()).toBeGreaterThan(before)
  })

  it('end with an invalidation that begins while they are read', async () => {
    const { cache, rows } = openCounted()
    for (let i = 0; i <= l1.hot; i++) await cache.get('a')
    await cache.drain()
    const reading = cache.get('a')
    rows[0] = user('a', 'new')
    const invalidated = cache.invalidate('a')
    await Promise.all([reading, invalidated])
    expect(await cache.get('a')).toEqual(user('a', 'new'))
  })

  it('are not what a caller has got before they were hot, and may have changed', async () => {
    const { cache, store } = openCounted()
    const [stored, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const fillMany = store.fillMany.bind(store)
    store.fillMany = async (...fills) => {
      const taken = await fillMany(...fills)
      await stored.promise
      return taken
    }
    const own = await cache.get('a')
    own!.name = 'changed'
    const getManyBytes = store.getManyBytes.bind(store)
    store.getManyBytes = (keys) => read.promise.then(() => getManyBytes(keys))
    const others = Array.from({ length: l1.hot }, async (_, i) => {
      await turns(2 * i)
      return cache.get('a')
    })
    await turns(20)
    stored.resolve()
    await turns(20)
    const last = cache.get('a')
    await turns(20)
    read.resolve()
    expect(await Promise.all([...others, last])).toEqual(Array.from({ length: l1.hot + 1 }, () => user('a')))
  })
})

describe('shared rows', () => {
  it('are one frozen row for all callers of a tick', async () => {
    const { cache } = createTestCache(defineUsers({ rows: 'shared' }), [user('a')])
    for (const _ of ['source', 'store']) {
      const [first, second] = await cache.getMany(['a', 'a'])
      expect(first).toEqual(user('a'))
      expect(second).toBe(first)
      expect(() => (first!.name = 'changed')).toThrow(TypeError)
      expect(() => first!.bornAt.setTime(0)).toThrow()
      await cache.drain()
    }
  })

  it('are frozen whole where `load` returns rows that are frozen on top alone', async () => {
    const load = (_: unknown, ids: readonly string[]) =>
      // In the order of the schema, in which the cache takes a row as it is.
      ids.map((id) => Object.freeze({ bornAt: user(id).bornAt, id, name: user(id).name }))
    const source = createLoadSource<User, string>(load, undefined)
    const { cache } = createTestCache(defineUsers({ rows: 'shared' }), [], { source })
    const [first, second] = await cache.getMany(['a', 'a'])
    expect(first).toEqual(user('a'))
    expect(second).toBe(first)
    expect(() => first!.bornAt.setTime(0)).toThrow('frozen row')
  })

  it('are frozen when they are served stale, too', async () => {
    const store = new MemoryStore()
    const options = { rows: 'shared', ttl: '20ms', staleFor: '1h' } as const
    const failing = createLoadSource<User, string>(() => Promise.reject(new Error('no database')), undefined)
    await createTestCache(defineUsers(options), [user('a')], { store }).cache.get('a')
    const { cache } = createTestCache(defineUsers(options), [], { store, source: failing })
    await delay(25)
    const [row, same] = await Promise.all([cache.get('a'), cache.get('a')])
    expect(row).toEqual(user('a'))
    expect(same).toBe(row)
    expect(Object.isFrozen(row)).toBe(true)
  })

  it('belong to a single caller, unless L1 keeps them', async () => {
    const { cache } = createTestCache(defineUsers({ rows: 'shared' }), [user('a')])
    for (const _ of ['loaded', 'stored']) {
      const row = await cache.get('a')
      expect(Object.isFrozen(row)).toBe(false)
      Object.assign(row!, { name: 'changed' })
      expect(await cache.get('a')).toEqual(user('a'))
    }
    const kept = createTestCache(defineUsers({ rows: 'shared', l1: { ttl: '1m' } }), [user('a')])
    expect(Object.isFrozen(await kept.cache.get('a'))).toBe(true)
  })

  it('are the same row for as long as L1 keeps it', async () => {
    const { cache } = createTestCache(defineUsers({ rows: 'shared', l1: { ttl: '1m' } }), [user('a')])
    expect(await cache.get('a')).toBe(await cache.get('a'))
  })
})

describe('large payloads', () => {
  it('are counted, and logged once', async () => {
    const logged: string[] = []
    let counted = 0
    const { cache } = createTestCache(
      defineUsers({ largePayloadBytes: 1_000 }),
      [user('a', 'x'.repeat(2_000)), user('b')],
      {
        warn: (message) => logged.push(message),
        observer: observing({ largePayloads: (count) => (counted += count) }),
      },
    )
    await cache.getMany(['a', 'b'])
    await cache.drain()
    await cache.getMany(['a', 'b'])
    expect(counted).toBe(2)
    expect(logged).toEqual([
      expect.stringMatching(/^ModelCache "User": a row takes 2\d{3} bytes, and 1000 or more are large/),
    ])
  })
})
