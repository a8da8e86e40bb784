import { turns } from '../../../../../test/support/eventually.js'
import { observing } from '../../../../../test/support/observing.js'
import { defineUsers, type User, user, userSchema } from '../../../../../test/support/user-caches.js'
import { MemoryStore, type Messages } from '../../protocol/index.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'

describe('messages of other processes', () => {
  /** A store whose messages arrive, or do not. */
  const storeWith = (areHeard: boolean) => {
    const listeners = new Map<string, (message: string) => void>()
    const messages: Messages = {
      publish: async (channel, message) => void (areHeard && listeners.get(channel)?.(message)),
      subscribe: async (channel, listener) => void listeners.set(channel, listener),
      unsubscribe: async () => {},
    }
    return Object.assign(new MemoryStore(), { messages })
  }
  const hits = async (areHeard: boolean, rows: 'copies' | 'shared'): Promise<boolean> => {
    let fromL1 = 0
    const observer = observing({
      reads: (layer, outcome, count) => {
        if (layer === 'l1' && outcome === 'hit') fromL1 += count
      },
    })
    const { cache } = createTestCache(defineUsers({ l1: { ttl: '1m' }, rows }), [user('a')], {
      store: storeWith(areHeard),
      observer,
    })
    for (let reads = 0; reads < 4; reads++) {
      expect(await cache.get('a')).toEqual(user('a'))
      await cache.drain()
      await turns()
    }
    await cache.close()
    return fromL1 > 0
  }

  it.each(['copies', 'shared'] as const)(
    'let L1 be used while they arrive, and not before (%s)',
    async (rows) => {
      expect(await hits(true, rows)).toBe(true)
      expect(await hits(false, rows)).toBe(false)
    },
  )
})

describe('rows whose invalidation has not reached the store', () => {
  it('are loaded without changing how others are read', async () => {
    const misses: unknown[][] = []
    const store = new FlakyStore(new MemoryStore())
    const observer = observing({ misses: (...args) => misses.push(args) })
    const { cache, loads } = createTestCache(defineUsers(), [user('a'), user('b')], { store, observer })
    await cache.getMany(['a', 'b'])
    await cache.drain()
    store.fail('releaseFences')
    await cache.invalidate('a')
    misses.length = 0
    expect(await cache.get('b')).toEqual(user('b'))
    expect([loads, misses]).toEqual([[['a', 'b']], []])
    expect(await cache.get('a')).toEqual(user('a'))
    expect([loads.slice(1), misses]).toEqual([[['a']], [['pending_invalidation', 1]]])
    expect(await cache.getMany(['a', 'b'])).toEqual([user('a'), user('b')])
    expect(loads.slice(2)).toEqual([['a']])
    const { lastMiss } = await cache.explain('a')
    expect(lastMiss?.reason).toBe('pending_invalidation')
    await cache.close()
  })
})

describe('an entry of a list with a row that has left it', () => {
  const open = () => {
    const outdated: number[] = []
    const store = new FlakyStore(new MemoryStore())
    const rows = [user('a', 'x'), user('b', 'x')]
    const definition = defineModelCache<User>()({
      model: 'User',
      schema: userSchema,
      id: 'id',
      ttl: '10m',
      lists: { named: { by: 'name' } },
    })
    const observer = observing({
      misses: (reason, count) => reason === 'outdated' && outdated.push(count),
    })
    return { ...createTestCache(definition, rows, { store, observer }), outdated, store }
  }
  const leave = async ({ cache, rows }: ReturnType<typeof open>): Promise<void> => {
    expect(await cache.list('named', 'x')).toEqual([user('a', 'x'), user('b', 'x')])
    await cache.drain()
    rows[0] = user('a', 'y')
    await cache.invalidate('a')
  }

  it('is loaded again although the store answers no more', async () => {
    const opened = open()
    const { cache, store } = opened
    await leave(opened)
    const { getManyBytes } = store
    store.getManyBytes = async (keys) => {
      const values = await getManyBytes.call(store, keys)
      // The register cannot be read from now on.
      store.getMany = () => Promise.reject(new Error('no answer'))
      return values
    }
    expect(await cache.list('named', 'x')).toEqual([user('b', 'x')])
    await cache.drain()
  })
})

it('observes how long it takes to copy rows of L1', async () => {
  const operations: string[] = []
  const observer = observing({ syncSeconds: (operation) => operations.push(operation) })
  const { cache } = createTestCache(defineUsers({ l1: { ttl: '1m' } }), [user('a')], { observer })
  await cache.get('a')
  await cache.drain()
  operations.length = 0
  await cache.get('a')
  expect(operations).toEqual(['copy'])
})
