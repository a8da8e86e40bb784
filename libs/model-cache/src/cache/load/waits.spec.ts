import { jest } from '@jest/globals'
import { type } from 'arktype'
import { eventually, eventuallyEqual, turns } from '../../../../../test/support/eventually.js'
import { counting } from '../../../../../test/support/observing.js'
import { MemoryStore } from '../../protocol/index.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { createTestCache } from '../../testing/test-cache.js'
import { writeValue } from '../../testing/write-value.js'
import { defineModelCache, type ModelCacheOptions } from '../policy/definition.js'
import { createLoadPermits } from './load-permits.js'

interface Lot {
  id: string
  price: number
}
const schema = type({ id: 'string', price: 'number' })
const define = (options: Partial<ModelCacheOptions<Lot, typeof schema, 'id'>> = {}) =>
  defineModelCache<Lot>()({ model: 'Lot', schema, id: 'id', ttl: '1h', ...options })
const lot = (id: string, price = 1): Lot => ({ id, price })

/** Counts reads and fills, as `layer outcome`. */
const recorder = () =>
  counting((add) => ({
    reads: (layer, outcome, count) => add(`${layer} ${outcome}`, count),
    readSeconds: (_seconds, ids, outcome) => add(`tick ${outcome}`, ids),
    fills: (outcome, count) => add(`fill ${outcome}`, count),
    misses: (reason, count) => reason === 'expired' && add('expired', count),
  }))

/** A source of rows at any price, whose loads can be held back. */
class Database {
  price = 1
  isEmpty = false
  readonly loads: (readonly string[])[] = []
  readonly #holds: { gate: Promise<void>; begun: () => void }[] = []

  readonly source = {
    load: async (ids: readonly string[]): Promise<Lot[]> => {
      this.loads.push(ids)
      const rows = this.isEmpty ? [] : ids.map((id) => lot(id, this.price))
      const hold = this.#holds.shift()
      hold?.begun()
      await hold?.gate
      return rows
    },
    mayBlameOneId: () => false,
  }

  /** Holds the next load until it is released, or fails. */
  hold() {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    // It may fail before its load begins.
    gate.promise.catch(() => {})
    this.#holds.push({ gate: gate.promise, begun: begun.resolve })
    return {
      begun: begun.promise,
      release: gate.resolve,
      fail: () => gate.reject(new Error('the database has failed')),
    }
  }
}

interface Readable {
  get(id: string): Promise<Lot | null>
}

/** A read whose load has begun, and is held back. */
async function begin(cache: Readable, database: Database, id = 'a') {
  const load = database.hold()
  const read = cache.get(id)
  await load.begun
  return { load, read }
}

/** A read of a row that waits for the only permit, which the load of another one has. */
async function waitForPermit(cache: Readable, database: Database) {
  const { load, read: slow } = await begin(cache, database, 'c')
  const waiting = cache.get('a')
  await turns(4)
  return { load, slow, waiting }
}

/** Processes that share a store and a database. */
function world(options: Parameters<typeof define>[0] = {}) {
  const database = new Database()
  const stored = new MemoryStore()
  const store = new FlakyStore(stored)
  const open = (
    overrides: Omit<NonNullable<Parameters<typeof createTestCache<Lot, string>>[2]>, 'source'> = {},
  ) => {
    const { counts, observer } = recorder()
    const { source } = database
    const { cache } = createTestCache(define(options), [], { store, source, observer, ...overrides })
    return { cache, counts }
  }
  return { database, store, stored, open }
}
const patient = { consistency: { leaseMs: 3_600_000, leaseWaitMs: 3_600_000 } }

describe('a row that another process loads', () => {
  it('is read from the store once it is there', async () => {
    const { database, open } = world()
    const [one, other] = [open(patient), open(patient)]
    const { load, read: first } = await begin(one.cache, database)
    const second = other.cache.get('a')
    await eventually(() => other.counts['store miss']! > 1)
    load.release()
    expect(await Promise.all([first, second])).toEqual([lot('a'), lot('a')])
    await other.cache.drain()
    expect(database.loads).toEqual([['a']])
    expect(other.counts).toMatchObject({ 'store hit': 1, 'tick miss': 1 })
    expect(Object.keys(other.counts).toSorted()).toEqual(['store hit', 'store miss', 'tick miss'])
  })

  it('is loaded at once, and not stored, without leaseWaitMs', async () => {
    const { database, open } = world()
    const [one, other] = [open(), open({ consistency: { leaseWaitMs: 0 } })]
    const { load, read: first } = await begin(one.cache, database)
    expect(await other.cache.get('a')).toEqual(lot('a'))
    await other.cache.drain()
    expect(other.counts).toEqual({ 'store miss': 1, 'source hit': 1, 'fill not_leased': 1, 'tick miss': 1 })
    load.release()
    await first
  })

  it('does not delay the other rows of the call', async () => {
    const { database, open } = world()
    const [one, other] = [open(patient), open(patient)]
    const { load, read: first } = await begin(one.cache, database)
    const second = other.cache.get('a')
    expect(await other.cache.get('b')).toEqual(lot('b'))
    expect(database.loads).toEqual([['a'], ['b']])
    load.release()
    await Promise.all([first, second])
    expect(database.loads).toHaveLength(2)
  })

  it('is read again if it was stored after the store had been read', async () => {
    const { database, store, open } = world()
    const [one, other] = [open(patient), open(patient)]
    await Promise.all([one.cache.get('-'), other.cache.get('-')])
    const { leaseMany } = store
    store.leaseMany = async (...request) => {
      store.leaseMany = leaseMany
      await one.cache.get('a')
      await one.cache.drain()
      return store.leaseMany(...request)
    }
    expect(await other.cache.get('a')).toEqual(lot('a'))
    expect(database.loads.filter(([id]) => id === 'a')).toHaveLength(1)
    expect(other.counts['store hit']).toBeGreaterThan(0)
  })
})

it('keeps no row in L1 that was loaded before one that has been delivered', async () => {
  const { database, open } = world({ l1: { ttl: '1m' } })
  const { cache, counts } = open({ consistency: { leaseWaitMs: 0 } })
  const { load, read: first } = await begin(cache, database)
  database.price = 2
  expect(await cache.get('a')).toEqual(lot('a', 2))
  load.release()
  await first
  await cache.drain()
  await cache.get('a')
  expect(counts['l1 hit']).toBeUndefined()
})

it.each([false, true])(
  'drops a row from L1 that was read from the store while a load of it waited for a permit (stored: %s)',
  async (isStored) => {
    const { database, open } = world({ l1: { ttl: '1m' } })
    const { cache } = open({ loads: createLoadPermits(1) })
    const { cache: other } = open()
    await cache.get('-')
    await cache.drain()
    const { load, slow, waiting } = await waitForPermit(cache, database)
    await other.get('a')
    await other.drain()
    expect(await cache.get('a')).toEqual(lot('a', 1))
    database.price = 2
    await other.invalidate('a')
    load.release()
    await slow
    expect(await waiting).toEqual(lot('a', 2))
    if (isStored) await cache.drain()
    expect(await cache.get('a')).toEqual(lot('a', 2))
  },
)

describe('reads of one row by one process', () => {
  it('are one load, even while the store is unavailable', async () => {
    const { database, store, open } = world()
    const { cache, counts } = open({ loads: createLoadPermits(1) })
    store.fail()
    const load = database.hold()
    const reads = [cache.get('busy')]
    await load.begun
    for (let errors = 2; errors <= 4; errors++) {
      reads.push(cache.get('a'))
      await eventuallyEqual(() => counts['store error'], errors)
    }
    load.release()
    expect(await Promise.all(reads)).toEqual(['busy', 'a', 'a', 'a'].map((id) => lot(id)))
    expect(database.loads).toEqual([['busy'], ['a']])
    expect(counts).toEqual({ 'store error': 4, 'source hit': 2, 'tick miss': 4 })
  })

  it('are loads of their own once the first one has begun, while the store is unavailable', async () => {
    const { database, store, open } = world()
    const { cache } = open()
    store.fail()
    const { load, read: before } = await begin(cache, database)
    database.price = 2
    expect(await cache.get('a')).toEqual(lot('a', 2))
    load.release()
    expect(await before).toEqual(lot('a', 1))
  })

  it('wait for a load that has begun, and read what it has stored', async () => {
    const { database, open } = world()
    const { cache, counts } = open(patient)
    const { load, read: first } = await begin(cache, database)
    const second = cache.get('a')
    await eventuallyEqual(() => counts['store miss'], 2)
    load.release()
    expect(await Promise.all([first, second])).toEqual([lot('a'), lot('a')])
    await cache.drain()
    expect(database.loads).toHaveLength(1)
    expect(counts).toEqual({
      'store miss': 2,
      'source hit': 1,
      'fill stored': 1,
      'store hit': 1,
      'tick miss': 2,
    })
  })

  it('take nothing from the store while an invalidation has not reached it, as a load that they join would', async () => {
    const { database, open, store, stored } = world()
    const { cache } = open({ loads: createLoadPermits(1) })
    const { cache: other } = open({ store: stored })
    await Promise.all([cache.get('b'), other.get('b')])
    const { load, slow, waiting } = await waitForPermit(cache, database)
    await other.get('a')
    await other.drain()
    store.fail('releaseFences', 'fenceMany', 'change')
    database.price = 2
    await cache.invalidate('a')
    const after = cache.get('a')
    await turns(4)
    load.release()
    expect([await after, (await waiting)!.id, (await slow)!.id]).toEqual([lot('a', 2), 'a', 'c'])
    store.recover()
  })

  it('do not wait for a load from before an invalidation', async () => {
    const { database, open } = world()
    const { cache } = open(patient)
    const { load, read: before } = await begin(cache, database)
    database.price = 2
    await cache.invalidate('a')
    expect(await cache.get('a')).toEqual(lot('a', 2))
    load.release()
    await before
    await cache.drain()
    expect(await cache.get('a')).toEqual(lot('a', 2))
    expect(database.loads).toHaveLength(2)
  })

  it('do not wait for a load that has begun without leaseWaitMs', async () => {
    const { database, open } = world()
    const { cache } = open({ consistency: { leaseWaitMs: 0 } })
    const { load, read: before } = await begin(cache, database)
    expect(await cache.get('a')).toEqual(lot('a'))
    expect(database.loads).toHaveLength(2)
    load.release()
    await before
  })
})

describe('a row whose ttl has ended', () => {
  const stale = { ttl: '10ms', staleFor: '1h' } as const
  const expired = async (cache: ReturnType<ReturnType<typeof world>['open']>['cache'], id = 'a') => {
    await cache.get(id)
    await cache.drain()
    await eventually(async () => {
      const { stored } = await cache.explain(id)
      return !stored.isHit && stored.reason === 'expired'
    })
  }

  it('is served stale while another process loads it, without delaying other rows of the call', async () => {
    const { database, open } = world(stale)
    const [one, other] = [open(patient), open(patient)]
    await expired(one.cache)
    // What is not there is loaded before what has expired.
    const holds = [database.hold(), database.hold()]
    const loading = one.cache.getMany(['a', 'b'])
    for (const { begun } of holds) await begun
    const b = other.cache.get('b')
    expect(await other.cache.get('a')).toEqual(lot('a'))
    await eventuallyEqual(() => other.counts['store stale'], 1)
    expect(other.counts['source hit']).toBeUndefined()
    for (const { release } of holds) release()
    expect(await Promise.all([loading, b])).toEqual([[lot('a'), lot('b')], lot('b')])
  })

  it('is served stale beside a row of the same call that is waited for', async () => {
    const { database, store, open } = world(stale)
    const [one, other] = [open(patient), open(patient)]
    await expired(one.cache)
    // Both values are to be replaced, so one call loads both rows.
    await writeValue(store, (await one.cache.explain('b')).key, 'damaged', 3_600_000)
    const load = database.hold()
    const loading = one.cache.getMany(['a', 'b'])
    await load.begun
    const [a, b] = [other.cache.get('a'), other.cache.get('b')]
    expect(await a).toEqual(lot('a'))
    load.release()
    expect(await Promise.all([loading, b])).toEqual([[lot('a'), lot('b')], lot('b')])
    await other.cache.drain()
    expect(other.counts).toMatchObject({ 'store stale': 1, 'tick miss': 2 })
  })

  it('is not served stale to a reader that waits for a load of the same process', async () => {
    const { database, open } = world(stale)
    const { cache, counts } = open(patient)
    await expired(cache)
    database.price = 2
    const { load, read: first } = await begin(cache, database)
    const second = cache.get('a')
    await eventuallyEqual(() => counts['expired'], 2)
    await turns()
    load.release()
    expect(await Promise.all([first, second])).toEqual([lot('a', 2), lot('a', 2)])
    expect(counts['store stale']).toBeUndefined()
  })

  it('is not served stale to a reader who came after its invalidation, while another process loads it', async () => {
    const { database, open } = world(stale)
    const one = open({ ...patient, loads: createLoadPermits(1) })
    const other = open(patient)
    await expired(one.cache)
    const [busy, load] = [database.hold(), database.hold()]
    const neighbour = one.cache.get('busy')
    await busy.begun
    const before = one.cache.get('a')
    await eventuallyEqual(() => one.counts['expired'], 1)
    await turns()
    database.price = 2
    await other.cache.invalidate('a')
    const loading = other.cache.get('a')
    await load.begun
    const missesBefore = one.counts['store miss']!
    const after = one.cache.get('a')
    await eventuallyEqual(() => one.counts['store miss'], missesBefore + 1)
    await turns()
    busy.release()
    await neighbour
    await turns()
    load.release()
    expect(await after).toEqual(lot('a', 2))
    await Promise.all([before, loading])
  })

  it('is not served stale as a row that does not exist', async () => {
    const { database, store, open } = world({ ...stale, notFoundTtl: '10ms' })
    const { cache } = open(patient)
    const values: string[] = []
    const fillMany = store.fillMany.bind(store)
    store.fillMany = (fills) => {
      values.push(...fills.map(({ value }) => String(value)))
      return fillMany(fills)
    }
    database.isEmpty = true
    expect(await cache.get('a')).toBeNull()
    await cache.drain()
    const { key } = await cache.explain('a')
    await eventually(async () => (await store.getMany([key]))[0] === null)
    // The store has it for longer than it should.
    await writeValue(store, key, values[0]!, 3_600_000)
    database.hold().fail()
    await expect(cache.get('a')).rejects.toThrow('the database has failed')
  })

  it('is served stale if its load fails', async () => {
    const { database, store, open } = world(stale)
    const { cache, counts } = open(patient)
    await expired(cache)
    database.hold().fail()
    expect(await cache.get('a')).toEqual(lot('a'))
    await cache.drain()
    expect(counts).toMatchObject({ 'store stale': 1, 'source error': 1 })
    expect(store.calls.releaseLeases).toBe(1)
  })

  it.each<[string, object, (database: Database) => void]>([
    ['does not exist', { notFoundTtl: 0 }, (database) => (database.isEmpty = true)],
    ['has changed into one that is not stored', {}, (database) => (database.price = '2' as never)],
  ])('is not served stale once the database has said that it %s', async (_, options, change) => {
    const { database, open } = world({ ...stale, ...options })
    const { cache, counts } = open(patient)
    await expired(cache)
    change(database)
    await cache.get('a')
    await cache.drain()
    database.hold().fail()
    await expect(cache.get('a')).rejects.toThrow('the database has failed')
    expect(counts['store stale']).toBeUndefined()
    // The one that has expired.
    expect(counts['fill stored']).toBe(1)
  })

  it.each([
    ['it', (cache: { invalidate(id: string): Promise<void> }) => cache.invalidate('a')],
    ['each row', (cache: { invalidateAll(): Promise<void> }) => cache.invalidateAll()],
  ])('is not served stale if another process invalidates %s before its load fails', async (_, invalidate) => {
    const { database, open } = world(stale)
    const [one, other] = [open(patient), open(patient)]
    await expired(one.cache)
    const { load, read: loading } = await begin(one.cache, database)
    await invalidate(other.cache)
    load.fail()
    await expect(loading).rejects.toThrow('the database has failed')
    expect(one.counts['store stale']).toBeUndefined()
  })

  it('is not served stale if the store does not say whether it is still there', async () => {
    const { database, store, open } = world(stale)
    const { cache } = open(patient)
    await expired(cache)
    const { load, read: loading } = await begin(cache, database)
    store.fail()
    load.fail()
    await expect(loading).rejects.toThrow('the database has failed')
  })

  it('is loaded once for two reads that wait for a permit, and is served stale to both', async () => {
    const { database, open } = world(stale)
    const { cache, counts } = open({ ...patient, loads: createLoadPermits(1) })
    await expired(cache)
    const [busy, failing] = [database.hold(), database.hold()]
    const neighbour = cache.get('busy')
    await busy.begun
    const reads = [cache.get('a')]
    const missesOf = () => counts['store miss']!
    await eventuallyEqual(missesOf, 3)
    reads.push(cache.get('a'))
    await eventuallyEqual(missesOf, 4)
    failing.fail()
    busy.release()
    expect(await Promise.all([neighbour, ...reads])).toEqual([lot('busy'), lot('a'), lot('a')])
    expect(database.loads).toEqual([['a'], ['busy'], ['a']])
  })
})

describe('a row that is due for refresh-ahead', () => {
  /** As soon as a millisecond has passed. */
  const due = { ttl: 3_600_000, refreshAhead: 3_599_999 } as const
  afterEach(() => void jest.restoreAllMocks())

  it('is loaded once for any number of reads, while the store answers them', async () => {
    const { database, open } = world(due)
    const { cache, counts } = open(patient)
    await cache.get('a')
    await cache.drain()
    const load = database.hold()
    await cache.get('a')
    await load.begun
    for (let hits = 2; hits <= 5; hits++) expect(await cache.get('a')).toEqual(lot('a'))
    load.release()
    await cache.drain()
    expect(database.loads).toHaveLength(2)
    expect(counts).toMatchObject({ 'store hit': 5, 'source hit': 2, 'fill stored': 2 })
  })

  it('is served stale to a reader that joins its refresh after its ttl has ended, if that fails', async () => {
    const { database, open } = world({ ...due, staleFor: '1h' })
    const { cache, counts } = open({ ...patient, loads: createLoadPermits(1) })
    await cache.get('a')
    await cache.drain()
    const [busy, failing] = [database.hold(), database.hold()]
    const neighbour = cache.get('busy')
    await busy.begun
    await cache.get('a')
    await turns()
    const laterMs = Date.now() + due.ttl
    jest.spyOn(Date, 'now').mockReturnValue(laterMs)
    const read = cache.get('a')
    await eventuallyEqual(() => counts['expired'], 1)
    await turns()
    failing.fail()
    busy.release()
    expect(await Promise.all([neighbour, read])).toEqual([lot('busy'), lot('a')])
    expect(database.loads).toEqual([['a'], ['busy'], ['a']])
  })

  it('is loaded by one process alone', async () => {
    const { database, open } = world(due)
    const [one, other] = [open(patient), open(patient)]
    await one.cache.get('a')
    await one.cache.drain()
    const load = database.hold()
    await one.cache.get('a')
    await load.begun
    expect(await other.cache.get('a')).toEqual(lot('a'))
    await other.cache.drain()
    load.release()
    await one.cache.drain()
    expect(database.loads).toHaveLength(2)
    expect(other.counts).toEqual({ 'store hit': 1, 'tick hit': 1 })
  })

  it.each<[string, object, (database: Database) => void, Lot | null]>([
    ['does not exist', { notFoundTtl: 0 }, (database) => (database.isEmpty = true), null],
    [
      'has changed into one that is not stored',
      {},
      (database) => (database.price = '2' as never),
      lot('a', '2' as never),
    ],
  ])('is not served again once the database has said that it %s', async (_, options, change, expected) => {
    const { database, open } = world({ ...due, ...options })
    const { cache } = open(patient)
    await cache.get('a')
    await cache.drain()
    change(database)
    expect(await cache.get('a')).toEqual(lot('a'))
    await cache.drain()
    expect(await cache.get('a')).toEqual(expected)
  })

  it.each(['does not match its schema', 'cannot be stored'])(
    'leaves L1 if its new row %s, as that one has been seen',
    async (reason) => {
      const { database, store, open } = world({ ...due, l1: { ttl: '1m' } })
      await open().cache.get('a')
      await eventuallyEqual(() => store.calls.fillMany, 1)
      const { cache, counts } = open()
      const load = database.hold()
      database.price = reason === 'cannot be stored' ? 2 : ('two' as never)
      await cache.get('a')
      await load.begun
      if (reason === 'cannot be stored') store.fail('fillMany')
      load.release()
      await cache.drain()
      await cache.get('a')
      await cache.drain()
      expect(counts).toMatchObject({ 'l1 miss': 2 })
      expect(counts['l1 hit']).toBeUndefined()
    },
  )
})

it('drops a row from L1 that turns out not to exist any more', async () => {
  const options = { ttl: 3_600_000, refreshAhead: 3_599_999, notFoundTtl: 0, l1: { ttl: '1m' } } as const
  const { database, store, open } = world(options)
  await open().cache.get('a')
  await eventuallyEqual(() => store.calls.fillMany, 1)
  const { cache, counts } = open()
  const load = database.hold()
  database.isEmpty = true
  await cache.get('a')
  await load.begun
  load.release()
  await cache.drain()
  await cache.get('a')
  expect(counts['l1 hit']).toBeUndefined()
  expect(counts['l1 miss']).toBe(2)
  await cache.drain()
})

describe('what is stored', () => {
  it('counts under the epoch of its kind: that of rows, or that of rows that do not exist', async () => {
    const { store, open } = world()
    const rows = [lot('a')]
    await open().cache.get('a')
    await store.change('mc:{Lot}:register', {
      kind: 'release',
      scope: 'existence',
      token: 'w',
      holdMs: 0,
      markMs: 0,
    })
    const { cache, loads } = createTestCache(define(), rows, { store })
    for (const _ of ['source', 'store']) {
      expect(await cache.getMany(['a', 'b'])).toEqual([lot('a'), null])
      await cache.drain()
    }
    expect(loads).toEqual([['b']])
    await cache.invalidate('a')
    for (const _ of ['source', 'store']) {
      await cache.get('a')
      await cache.drain()
    }
    expect(loads).toEqual([['b'], ['a']])
  })
})

describe('a loaded row', () => {
  it('has the form of a stored one: exactly the fields of its schema', async () => {
    const rows = [{ ...lot('a'), secret: 'x' }, lot('b')]
    const { cache } = createTestCache(define({ notFoundTtl: 0 }), rows as Lot[], {})
    for (const _ of ['source', 'store']) {
      expect(await cache.getMany(['a', 'b', '-'])).toStrictEqual([lot('a'), lot('b'), null])
      await cache.drain()
    }
  })
})
