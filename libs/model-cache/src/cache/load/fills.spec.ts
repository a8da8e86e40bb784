import assert from 'node:assert/strict'
import { type } from 'arktype'
import { type Fill, MemoryStore, type Store } from '../../protocol/index.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache, type ModelCacheOptions } from '../policy/definition.js'
import { type CacheObserver, silentObserver } from '../telemetry/observer.js'

interface User {
  id: string
  name: string
  team: string
}
const schema = type({ id: 'string', name: 'string', team: 'string' })
type Options = Partial<Omit<ModelCacheOptions<User, typeof schema, 'id'>, 'unique' | 'lists'>> & {
  maxRows?: number
}
const define = ({ maxRows = 1_000, ...options }: Options = {}) =>
  defineModelCache<User>()({
    model: 'User',
    schema,
    id: 'id',
    ttl: '10m',
    lists: { ofTeam: { by: 'team', maxRows } },
    ...options,
  })
const user = (id: string, fields: Partial<User> = {}): User => ({
  id,
  name: `name of ${id}`,
  team: 'x',
  ...fields,
})
const users = (count: number): User[] => Array.from({ length: count }, (_, i) => user(`u${i}`))
const idsOf = (rows: readonly User[]): string[] => rows.map(({ id }) => id)
/** Its payload cannot be made. */
const wrong = (id: string): User => user(id, { name: 5 as never })

/** Counts the fills of rows by outcome, and the bytes and stretches of work besides. */
function recorder() {
  const fills: Record<string, number> = {}
  const bytes: number[] = []
  const operations = new Set<string>()
  const observer: CacheObserver = {
    ...silentObserver,
    forModel: (name, lookup) => ({
      ...silentObserver.forModel(name),
      ...(lookup === undefined && {
        fills: (outcome, count) => (fills[outcome] = (fills[outcome] ?? 0) + count),
        payloadBytes: (size: number) => bytes.push(size),
        syncSeconds: (operation: string) => operations.add(operation),
      }),
    }),
  }
  return { fills, bytes, operations, observer }
}

/** Records what a store is given to write. */
function recordFills(store: Store): (readonly Fill[])[] {
  const calls: (readonly Fill[])[] = []
  const fillMany = store.fillMany.bind(store)
  store.fillMany = (fills) => {
    calls.push(fills)
    return fillMany(fills)
  }
  return calls
}

function open(rows: User[], options: Options = {}, overrides = {}) {
  const store = new FlakyStore(new MemoryStore())
  const recorded = recorder()
  const { observer } = recorded
  return { ...createTestCache(define(options), rows, { store, observer, ...overrides }), ...recorded, store }
}

describe('loaded rows', () => {
  it('are stored by one lease and one write for all of a tick', async () => {
    const { cache, store, fills } = open(users(3))
    await cache.getMany(idsOf(users(3)))
    await cache.drain()
    expect(store.calls).toMatchObject({ leaseMany: 1, fillMany: 1, releaseLeases: 0 })
    expect(fills).toEqual({ stored: 3 })
  })

  it('are sent to the store in calls of 64', async () => {
    const { cache, store } = open(users(130))
    const calls = recordFills(store)
    await cache.getMany(idsOf(users(130)))
    await cache.drain()
    expect(calls.map(({ length }) => length)).toEqual([64, 64, 2])
  })

  it('expire up to a tenth before their ttl, not all at once', async () => {
    const { cache, store } = open(users(100))
    const calls = recordFills(store)
    await cache.getMany(idsOf(users(100)))
    await cache.drain()
    const lives = calls.flat().map(({ ttlMs }) => ttlMs)
    expect(Math.max(...lives)).toBeLessThanOrEqual(600_000)
    expect(Math.min(...lives)).toBeGreaterThanOrEqual(540_000)
    expect(new Set(lives).size).toBeGreaterThan(50)
  })

  it('stay in the store for staleFor after they have expired, negative entries do not', async () => {
    const { cache, store, loads } = open([user('a')], { staleFor: '1h', notFoundTtl: '1m' })
    const calls = recordFills(store)
    for (const _ of ['source', 'store']) {
      expect(await cache.getMany(['a', '-'])).toEqual([user('a'), null])
      await cache.drain()
    }
    const [row, none] = calls.flat()
    expect(row!.ttlMs).toBeGreaterThan(3_600_000)
    expect(none!.ttlMs).toBeLessThanOrEqual(60_000)
    expect(loads).toHaveLength(1)
  })

  it('are observed by their bytes, not by their characters', async () => {
    const { cache, store, bytes } = open([user('a', { name: '🎁 für dich' })])
    const calls = recordFills(store)
    await cache.get('a')
    await cache.drain()
    expect(bytes).toEqual([Buffer.byteLength(calls[0]![0]!.value)])
  })

  it('are neither stored nor keep their lease if they do not match the schema', async () => {
    const { cache, store, fills } = open([wrong('a'), user('b')])
    await cache.getMany(['a', 'b'])
    await cache.drain()
    expect(fills).toEqual({ refused: 1, stored: 1 })
    expect(store.calls.releaseLeases).toBe(1)
    await cache.get('a')
    await cache.drain()
    expect(store.calls).toMatchObject({ fillMany: 1, releaseLeases: 2 })
  })

  it('are stored, while the list that has more of them than `maxRows` is neither stored nor keeps its lease', async () => {
    const { cache, finds, store } = open([...users(3), user('y', { team: 'y' })], { maxRows: 2 })
    for (const reads of [1, 2]) {
      const found = await cache.listMany('ofTeam', ['x', 'y'])
      await cache.drain()
      expect(found.map(idsOf)).toEqual([['u0', 'u1', 'u2'], ['y']])
      expect([finds.length, store.calls.releaseLeases]).toEqual([reads, reads])
    }
    const stored = await Promise.all(
      ['x', 'y'].map(async (team) => (await cache.explain('ofTeam', team)).stored.isHit),
    )
    expect([stored, (await cache.explain('u0')).stored.isHit]).toEqual([[false, true], true])
  })

  it('are counted as those of a lost lease if another process has written them meanwhile', async () => {
    const rows = users(3)
    const { cache, store, fills } = open(rows)
    const other = createTestCache(define(), rows, { store: store })
    const fillMany = store.fillMany.bind(store)
    store.fillMany = async (sent) => {
      await other.cache.invalidate(['u0', 'u1'])
      return fillMany(sent)
    }
    await cache.getMany(idsOf(rows))
    await cache.drain()
    expect(fills).toEqual({ stored: 1, lease_lost: 2 })
    await cache.get('u0')
    await cache.drain()
    expect(fills).toEqual({ stored: 1, lease_lost: 3 })
  })

  it('are not stored, and can be leased again, if all rows were invalidated meanwhile', async () => {
    const rows = users(2)
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const source = {
      load: async () => {
        begun.resolve()
        await gate.promise
        return rows
      },
      find: async () => [],
      mayBlameOneId: () => false,
    }
    const { cache, store, fills } = open(rows, {}, { source })
    const reading = cache.getMany(idsOf(rows))
    await begun.promise
    await cache.invalidateAll()
    gate.resolve()
    await reading
    await cache.drain()
    expect(fills).toEqual({ outdated: 2 })
    expect(store.calls).toMatchObject({ fillMany: 0, releaseLeases: 1 })
    // With leases that nobody gave back it would wait for them.
    const consistency = { leaseWaitMs: 3_600_000 }
    const other = createTestCache(define(), rows, { store, consistency })
    expect(await other.cache.getMany(idsOf(rows))).toEqual(rows)
    expect(other.loads).toHaveLength(1)
  })

  it('are neither leased nor released while the store is unavailable', async () => {
    const { cache, store, fills } = open(users(1))
    store.fail()
    await cache.get('u0')
    await cache.drain()
    expect(store.calls).toMatchObject({ leaseMany: 0, fillMany: 0, releaseLeases: 0 })
    expect(fills).toEqual({})
  })

  it('give their lease back if what their load has read is not committed', async () => {
    const source = {
      load: async () => users(1),
      find: async () => [],
      mayBlameOneId: () => false,
      watchLoad: () => () => false,
    }
    const { cache, fills, store } = open([], {}, { source })
    expect(await cache.get('u0')).toEqual(user('u0'))
    await cache.drain()
    expect(fills).toEqual({})
    expect(store.calls).toMatchObject({ leaseMany: 1, fillMany: 0, releaseLeases: 1 })
  })

  it('give their lease back if they cannot be loaded', async () => {
    const load = () => Promise.reject(new Error('no database'))
    const { cache, store } = open([], {}, { source: { load, find: load, mayBlameOneId: () => false } })
    await expect(cache.get('a')).rejects.toThrow('no database')
    await cache.drain()
    expect(store.calls).toMatchObject({ leaseMany: 1, fillMany: 0, releaseLeases: 1 })
  })

  it('give their lease back if they do not exist, and negative entries are off', async () => {
    const { cache, fills, store } = open([], { notFoundTtl: 0 })
    expect(await cache.get('a')).toBeNull()
    await cache.drain()
    expect(store.calls).toMatchObject({ leaseMany: 1, fillMany: 0, releaseLeases: 1 })
    expect(fills).toEqual({})
  })

  it('give their lease back, and are counted, if they do not exist and the budget for such is used up', async () => {
    const { cache, fills, store } = open([], {}, { maxNotFoundBytes: 0 })
    expect(await cache.get('a')).toBeNull()
    await cache.drain()
    expect(store.calls).toMatchObject({ leaseMany: 1, fillMany: 0, releaseLeases: 1 })
    expect(fills).toEqual({ too_many: 1 })
  })

  it('need no budget if they exist', async () => {
    const { cache, fills, store } = open(users(2), { notFoundTtl: '1s' }, { maxNotFoundBytes: 0 })
    const calls = recordFills(store)
    await cache.getMany(idsOf(users(2)))
    await cache.drain()
    expect(fills).toEqual({ stored: 2 })
    for (const { ttlMs } of calls.flat()) expect(ttlMs).toBeGreaterThan(1_000)
  })
})

it.each([0, '1s'] as const)(
  'counts empty lists that are not stored, as the budget for them is used up (notFoundTtl: %p)',
  async (notFoundTtl) => {
    const counts: unknown[][] = []
    const observer: CacheObserver = {
      ...silentObserver,
      forModel: (name, lookup) => ({
        ...silentObserver.forModel(name),
        ...(lookup !== undefined && { fills: (...args: unknown[]) => void counts.push(args) }),
      }),
    }
    const { cache } = open([], { notFoundTtl }, { maxNotFoundBytes: 0, observer })
    expect(await cache.list('ofTeam', 'x')).toEqual([])
    await cache.drain()
    expect(counts).toEqual([['too_many', 1]])
  },
)

describe('primed rows', () => {
  it('are stored for their ttl, as loaded ones are', async () => {
    const { cache, fills, operations, store } = open([], { notFoundTtl: '1s', staleFor: '1h' })
    const calls = recordFills(store)
    await cache.prime([user('a'), user('b')])
    expect(fills).toEqual({ stored: 2 })
    expect(operations).toContain('encode')
    for (const { ttlMs } of calls.flat()) expect(ttlMs).toBeGreaterThan(3_600_000)
  })

  it('are stored as they were at the call', async () => {
    const { cache, loads } = open([])
    const row = user('a')
    const priming = cache.prime([row])
    row.name = 'shown to a guest'
    await priming
    expect([await cache.get('a'), loads]).toEqual([user('a'), []])
  })

  it('are rejected if a later one does not match the schema', async () => {
    const photos = defineModelCache<{ id: string; photo: Uint8Array }>()({
      model: 'Photo',
      schema: type({ id: 'string', photo: 'TypedArray.Uint8' }),
      id: 'id',
      ttl: '10m',
    })
    const { cache } = createTestCache(photos, [])
    // More than are encoded at once.
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: `${i}`, photo: new Uint8Array([1]) }))
    rows.push({ id: 'last', photo: 'AQ==' as never })
    await expect(cache.prime(rows)).rejects.toMatchObject({ code: 'E_ENCODE' })
  })

  it.each<[string, (rows: User[]) => PropertyDescriptor]>([
    ['what is computed', () => ({ get: () => assert.fail('it is asked for') })],
    ['what leads back to them', (rows) => ({ value: rows })],
  ])('are stored by their schema, whatever else they have: %s', async (_, propertyOf) => {
    const { cache, fills } = open([])
    // More than are encoded at once.
    const rows = users(9_000)
    for (const row of rows) Object.defineProperty(row, 'more', { enumerable: true, ...propertyOf(rows) })
    await cache.prime(rows)
    expect(fills).toEqual({ stored: rows.length })
  })

  it('are counted as not leased if they have been written lately, the others are stored', async () => {
    const { cache, fills } = open([])
    await cache.invalidate('a')
    await cache.prime([user('a'), user('b'), user('c')])
    expect(fills).toEqual({ not_leased: 1, stored: 2 })
  })

  it('are not stored while the store cannot be read', async () => {
    const { cache, fills, store } = open([])
    store.fail('getMany')
    await cache.prime([user('a'), user('b')])
    expect(fills).toEqual({ not_leased: 2 })
    expect(store.calls.fillMany).toBe(0)
  })

  it('are not stored if the store has lost the record of a write', async () => {
    const store = new FlakyStore(new MemoryStore({ maxEntries: 2 }))
    const { cache, fills } = open([], {}, { store })
    await cache.invalidate(['a', 'b', 'c'])
    await cache.prime([user('d'), user('e')])
    expect(fills).toEqual({ evicting: 2 })
  })

  it('are not stored, and give their lease back, while an invalidation of them is pending', async () => {
    const { cache, fills, store } = open([user('a', { name: 'new' })])
    store.fail('releaseFences')
    await cache.invalidate('a')
    await cache.prime([user('a', { name: 'old' }), user('b')])
    expect(fills).toEqual({ stored: 1 })
    expect(store.calls.releaseLeases).toBe(1)
    expect((await cache.get('a'))!.name).toBe('new')
    await cache.close()
  })
})

describe('the rows of a list that is loaded', () => {
  it('are stored for reads by id', async () => {
    const { cache, fills, loads, operations } = open(users(3))
    expect(await cache.list('ofTeam', 'x')).toEqual(users(3))
    await cache.drain()
    expect(fills).toEqual({ stored: 3 })
    expect(operations).toContain('encode')
    expect(await cache.getMany(['u0', 'u2'])).toEqual([user('u0'), user('u2')])
    expect(loads).toEqual([])
  })

  it('are stored without those that do not match their schema, all of them are returned', async () => {
    const rows = [wrong('a'), user('b'), wrong('c'), user('d')]
    const { cache, fills, loads } = open(rows)
    expect(idsOf(await cache.list('ofTeam', 'x'))).toEqual(['a', 'b', 'c', 'd'])
    await cache.drain()
    expect(fills).toMatchObject({ stored: 2 })
    expect(await cache.getMany(['b', 'd'])).toEqual([user('b'), user('d')])
    expect(loads.flat()).not.toContain('b')
  })

  it('are kept in L1 once the store has taken them', async () => {
    const { cache, store } = open([wrong('a'), user('b'), user('c')], {
      l1: { ttl: '1m' },
      rows: 'shared',
    })
    await cache.list('ofTeam', 'x')
    await cache.drain()
    const before = store.calls.getMany
    expect(await cache.getMany(['b', 'c'])).toEqual([user('b'), user('c')])
    expect(store.calls.getMany).toBe(before)
  })

  it('are not kept in L1 if the store has not taken them', async () => {
    const { cache, loads, store } = open(users(1), { l1: { ttl: '1m' }, rows: 'shared' })
    store.fail('fillMany')
    await cache.list('ofTeam', 'x')
    await cache.drain()
    await cache.get('u0')
    expect(loads).toEqual([['u0']])
  })

  it('are not stored if the store was unavailable when they were read', async () => {
    const { cache, fills, store } = open(users(2))
    store.fail('getMany')
    expect(await cache.list('ofTeam', 'x')).toEqual(users(2))
    await cache.drain()
    expect(fills).toEqual({ not_leased: 2 })
  })
})
