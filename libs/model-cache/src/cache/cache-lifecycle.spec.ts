import { type } from 'arktype'
import { turns } from '../../../../test/support/eventually.js'
import { observing } from '../../../../test/support/observing.js'
import { InvalidIdError } from '../errors.js'
import { MemoryStore, ModelCacheWrites, type NamespaceDatabase } from '../protocol/index.js'
import { FlakyStore } from '../testing/flaky-store.js'
import { createTestCache } from '../testing/test-cache.js'
import { defineModelCache } from './policy/definition.js'
import { type CacheParts, ReadThroughCache } from './read-through-cache.js'

interface User {
  id: string
  team: string
}
const schema = type({ id: 'string', team: 'string' })
const definition = defineModelCache<User>()({
  model: 'User',
  schema,
  id: 'id',
  ttl: '10m',
  unique: { ofTeam: 'team' },
  lists: { inTeam: { by: 'team' } },
})
const user = (id: string): User => ({ id, team: 'x' })

/** A cache of parts that a test makes. */
function bound(parts: object): ReadThroughCache<User, string> {
  const cache = new ReadThroughCache<User, string>('User')
  cache.bind(parts as CacheParts<User, string>)
  return cache
}

type AnyCache = ReadThroughCache<User, string, { unique: { ofTeam: string }; lists: { inTeam: string } }>

it.each([
  ['get', (cache: AnyCache) => cache.get('a')],
  ['getMany', (cache: AnyCache) => cache.getMany(['a'])],
  ['getMany of none', (cache: AnyCache) => cache.getMany([])],
  ['getManySettled', (cache: AnyCache) => cache.getManySettled(['a'])],
  ['getBy', (cache: AnyCache) => cache.getBy('ofTeam', 'x')],
  ['getManyBy', (cache: AnyCache) => cache.getManyBy('ofTeam', ['x'])],
  ['list', (cache: AnyCache) => cache.list('inTeam', 'x')],
  ['listMany', (cache: AnyCache) => cache.listMany('inTeam', ['x'])],
  ['prime', (cache: AnyCache) => cache.prime([])],
  ['invalidate', (cache: AnyCache) => cache.invalidate('a')],
  ['invalidateBy', (cache: AnyCache) => cache.invalidateBy('ofTeam', 'x')],
  ['invalidateAll', (cache: AnyCache) => cache.invalidateAll()],
  ['explain', (cache: AnyCache) => cache.explain('a')],
  ['drain', (cache: AnyCache) => cache.drain()],
  ['close', (cache: AnyCache) => cache.close()],
])('rejects %s before there is a client, with the name of the cache', async (_, call) => {
  const cache: AnyCache = new ReadThroughCache('User')
  await expect(call(cache)).rejects.toMatchObject({
    code: 'E_NOT_STARTED',
    message: expect.stringContaining('"User"') as unknown,
  })
})

describe('within a transaction', () => {
  function open() {
    const fills: unknown[][] = []
    const writes = new ModelCacheWrites()
    const observer = observing({ fills: (...args) => fills.push(args) })
    const source = {
      load: async (ids: readonly string[]) => ids.filter((id) => id !== '-').map(user),
      find: async () => [],
      mayBlameOneId: () => false,
    }
    const store = new FlakyStore(new MemoryStore())
    const { cache } = createTestCache(definition, [], { store, source, writes, observer })
    const within = <T>(work: () => Promise<T>): Promise<T> => writes.within(writes.begin(), {}, work)
    return { cache, fills, store, within }
  }

  it('rows are read by its client, in the order of their ids', async () => {
    const { cache, store, within } = open()
    expect(await within(() => cache.getMany(['a', '-', 'b']))).toEqual([user('a'), null, user('b')])
    expect(store.calls.getMany).toBe(0)
  })

  it('rows of another database are made of what is committed, also for those who read them outside', async () => {
    const [writes, store] = [new ModelCacheWrites(), new MemoryStore()]
    const own = {
      load: async (ids: readonly string[], client?: object) =>
        ids.map((id) => ({ id, team: client ? 'written' : 'committed' })),
      find: async () => [],
      mayBlameOneId: () => false,
    }
    const { cache: users } = createTestCache(definition, [], { store, source: own, writes })
    const other = {
      load: async (ids: readonly string[]) => (await users.getMany(ids)).map((row) => row!),
      isOwnTransaction: () => false,
      mayBlameOneId: () => false,
    }
    const guestCache = defineModelCache<User>()({ model: 'Guest', schema, id: 'id', ttl: '10m' })
    const { cache: guests } = createTestCache(guestCache, [], { store, source: other, writes })
    const inside = writes.within(writes.begin(), {}, () => guests.get('a'))
    expect((await Promise.all([inside, guests.get('b')])).map((row) => row?.team)).toEqual([
      'committed',
      'committed',
    ])
    expect((await guests.getMany(['a', 'b'])).map((row) => row?.team)).toEqual(['committed', 'committed'])
  })

  it('no rows are primed, as they may not be committed', async () => {
    const { cache, fills, store, within } = open()
    await within(() => cache.prime([user('a'), user('b')]))
    expect([fills, store.calls.leaseMany]).toEqual([[['not_leased', 2]], 0])
    await cache.prime([user('a'), user('b')])
    expect(fills.at(-1)).toEqual(['stored', 2])
  })
})

describe('a list with a hole', () => {
  const holes = Array<string>(1)
  const { cache } = createTestCache(definition, [])
  const writes = new ModelCacheWrites()
  const within = createTestCache(definition, [], {
    source: { load: async () => [], find: async () => [], mayBlameOneId: () => false },
    writes,
  }).cache
  it.each([
    ['getMany', (of: AnyCache) => of.getMany(holes)],
    ['getManyBy', (of: AnyCache) => of.getManyBy('ofTeam', holes)],
    ['listMany', (of: AnyCache) => of.listMany('inTeam', holes)],
    ['invalidate', (of: AnyCache) => of.invalidate(holes)],
    ['invalidateBy', (of: AnyCache) => of.invalidateBy('inTeam', holes)],
  ])('is refused by %s, also within a transaction', async (_, call) => {
    await expect(call(cache)).rejects.toBeInstanceOf(InvalidIdError)
    const inTransaction = writes.within<unknown>(writes.begin(), {}, () => call(within))
    await expect(inTransaction).rejects.toBeInstanceOf(InvalidIdError)
  })

  it('has an outcome for it in getManySettled', async () => {
    expect((await cache.getManySettled(holes)).map(({ status }) => status)).toEqual(['rejected'])
  })
})

describe('the work of a cache', () => {
  /** A cache whose store takes its time to store rows. */
  function open() {
    const store = new FlakyStore(new MemoryStore())
    const fillMany = store.fillMany.bind(store)
    store.fillMany = async (fills) => {
      await turns()
      return fillMany(fills)
    }
    return createTestCache(definition, [user('a')], { store })
  }

  it('has settled when reads that were requested have ended, and their fills', async () => {
    const { cache } = open()
    void cache.get('a')
    await cache.settled()
    expect((await cache.explain('a')).stored.isHit).toBe(true)
  })

  it('is drained of reads of lookups, too', async () => {
    const { cache, finds } = open()
    void cache.list('inTeam', 'x')
    await cache.drain()
    expect(finds).toHaveLength(1)
  })
})

describe('L1', () => {
  const l1 = {}
  it.each([
    ['no L1', undefined, { isListening: true, isUp: false }, false],
    ['a store of one process', l1, undefined, false],
    ['no read of L1 yet', l1, { isListening: false, isUp: false }, false],
    ['messages that arrive', l1, { isListening: true, isUp: true }, false],
    ['messages that do not arrive', l1, { isListening: true, isUp: false }, true],
  ])('is not trusted while messages do not arrive (%s)', (_, held, backplane, expected) => {
    expect(bound({ l1: held, backplane }).distrustsL1).toBe(expected)
  })
})

describe('a cache whose schema is new', () => {
  const register = (joiningForMs: number, read = async (): Promise<unknown> => undefined, losses = 0) => ({
    register: { read, joiningForMs, losses },
  })

  it('says from when on it stores rows', async () => {
    const beforeMs = Date.now()
    const from = await bound(register(5_000)).fillsFrom()
    expect(from!.getTime()).toBeGreaterThanOrEqual(beforeMs + 5_000)
    expect(from!.getTime()).toBeLessThanOrEqual(Date.now() + 5_000)
  })

  it('says nothing if it stores them already, whether or not the store answers', async () => {
    expect(await bound(register(0)).fillsFrom()).toBeUndefined()
    expect(await bound(register(0, () => Promise.reject(new Error('no answer')))).fillsFrom()).toBeUndefined()
  })

  it('says nothing while all processes wait, as the store has lost what it held', async () => {
    expect(await bound(register(5_000, undefined, 1)).fillsFrom()).toBeUndefined()
  })
})

describe('the end of the process', () => {
  /** Timers that keep the process. */
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

  function open() {
    const done: string[] = []
    const does = (what: string) => () => void done.push(what)
    const settled = Promise.withResolvers<void>()
    const cache = bound({
      context: {
        telemetry: { auditor: { stop: does('no audit') } },
        runtime: { inFlight: { settled: () => settled.promise } },
      },
      reads: { isEmpty: true },
      lookups: { isEmpty: true, stop: does('no lookups') },
      backplane: { stop: async () => void done.push('no messages') },
      fences: { stop: async () => void done.push('no fences') },
      onClose: [does('not listed')],
      stopAnswering: does('no answers'),
    })
    return { cache, done, settle: settled.resolve }
  }

  it('waits for reads and fills, then for invalidations', async () => {
    const { cache, done, settle } = open()
    const closing = cache.close()
    await turns()
    expect(done).toEqual(['no answers', 'no audit', 'no lookups'])
    settle()
    await closing
    expect(done.slice(3, 5).toSorted()).toEqual(['no fences', 'no messages'])
    expect(done.slice(5)).toEqual(['not listed'])
  })

  it('leaves no listener with what outlives the cache', async () => {
    let listeners = 0
    const listen = () => {
      listeners++
      return () => void listeners--
    }
    const source = { describe: async () => undefined }
    const database = { mark: '', source, onChange: listen, onTables: listen, verify: listen }
    const { cache } = createTestCache(definition, [], {
      database: database as unknown as NamespaceDatabase,
      follow: { isFollowed: () => true, onResume: listen },
      writes: new ModelCacheWrites(),
    })
    expect(listeners).toBe(4)
    await cache.close()
    expect(listeners).toBe(0)
  })

  it('is not delayed by the time that this may take at most', async () => {
    const { cache, settle } = open()
    const before = timers()
    const closing = cache.close()
    expect(timers()).toBe(before)
    settle()
    await closing
    expect(timers()).toBe(before)
  })
})
