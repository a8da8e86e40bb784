import { setTimeout as delay } from 'node:timers/promises'
import { type } from 'arktype'
import { eventually } from '../../../../test/support/eventually.js'
import { defineUsers, type User, user } from '../../../../test/support/user-caches.js'
import { MemoryStore, ModelCacheWrites, type Store } from '../protocol/index.js'
import { FlakyStore } from '../testing/flaky-store.js'
import { createTestCache } from '../testing/test-cache.js'
import { defineModelCache } from './policy/definition.js'
import { type ModelObserver, observedEvents } from './telemetry/observer.js'

const l1 = { ttl: '1m' } as const

/** Lets another process store the rows. */
async function fill(store: Store, rows: User[]): Promise<void> {
  const { cache } = createTestCache(defineUsers(), rows, { store })
  await cache.getMany(rows.map(({ id }) => id))
  await cache.drain()
}

/** A store whose removals and writes wait until they are released, while reads are answered. */
function slowToWrite(): { store: MemoryStore; open: () => void } {
  const gate = Promise.withResolvers<void>()
  const store = new MemoryStore()
  for (const method of ['releaseFences', 'change'] as const) {
    const write = store[method].bind(store) as (key: unknown, change: unknown) => Promise<never>
    store[method] = async (key: unknown, change: unknown) => {
      if ((change as { kind?: string }).kind !== 'join') await gate.promise
      return write(key, change)
    }
  }
  return { store, open: gate.resolve }
}

describe('a row that was read while being invalidated', () => {
  it.each(['invalidate', 'invalidateAll'] as const)(
    'is not kept in the memory of the process (%s)',
    async (method) => {
      const rows = [user('a', 'old')]
      const { store, open } = slowToWrite()
      await fill(store, rows)
      const { cache } = createTestCache(defineUsers({ l1 }), rows, { store })
      rows[0] = user('a', 'new')
      const invalidated = cache[method](['a'])
      await cache.get('a')
      open()
      await invalidated
      expect((await cache.get('a'))!.name).toBe('new')
    },
  )

  it('is not kept when the invalidation never reaches the store either', async () => {
    const rows = [user('a', 'old')]
    const store = new FlakyStore(new MemoryStore())
    await fill(store, rows)
    const { cache } = createTestCache(defineUsers({ l1 }), rows, { store })
    const gate = Promise.withResolvers<void>()
    store.releaseFences = async () => {
      await gate.promise
      throw new Error('took too long')
    }
    rows[0] = user('a', 'new')
    const invalidated = cache.invalidate('a')
    await cache.get('a')
    gate.resolve()
    await invalidated
    expect((await cache.get('a'))!.name).toBe('new')
    await cache.close()
  })
})

it('invalidates by hand what another release has listed while the store did not answer', async () => {
  const rows = [user('a', 'old')]
  const inner = new MemoryStore()
  const store = new FlakyStore(inner)
  store.fail()
  const { cache } = createTestCache(defineUsers(), rows, { store })
  const newer = defineUsers({ dependsOn: ['House'], version: 2 })
  const { cache: other } = createTestCache(newer, rows, { store: inner })
  await other.get('a')
  await other.drain()
  rows[0] = user('a', 'new')
  expect((await other.get('a'))!.name).toBe('old')
  await cache.invalidate('a')
  store.recover()
  await eventually(async () => (await other.get('a'))!.name === 'new')
  await cache.close()
  await other.close()
})

describe('primed rows', () => {
  const prime = async (store: Store, name: string): Promise<void> => {
    await createTestCache(defineUsers(), [], { store }).cache.prime([user('a', name)])
  }
  const stored = async (store: Store): Promise<string> => {
    const { cache } = createTestCache(defineUsers(), [user('a', 'from the source')], { store })
    return (await cache.get('a'))!.name
  }

  it('do not replace a stored row, which is at least as new', async () => {
    const store = new MemoryStore()
    await fill(store, [user('a', 'stored')])
    await prime(store, 'primed')
    expect(await stored(store)).toBe('stored')
  })
})

it('resolves prime() when all rows have been stored, however many there are', async () => {
  const store = new MemoryStore()
  const written: string[] = []
  const fillMany = store.fillMany.bind(store)
  store.fillMany = async (fills) => {
    await delay(5)
    written.push(...fills.map(({ key }) => key))
    return fillMany(fills)
  }
  const { cache } = createTestCache(defineUsers(), [], { store })
  for (const count of [64, 100]) {
    written.length = 0
    await cache.prime(Array.from({ length: count }, (_, i) => user(`${count} ${i}`)))
    expect(written).toHaveLength(count)
  }
})

it('does not keep a negative entry in L1 when notFoundTtl is 0', async () => {
  const { cache, loads } = createTestCache(defineUsers({ l1, notFoundTtl: 0 }), [])
  await cache.get('x')
  await cache.drain()
  await cache.get('x')
  expect(loads).toHaveLength(2)
})

describe('a row that does not match its schema', () => {
  const wrong = { id: 'a', name: 'A', bornAt: { not: 'a date' } } as never as User

  it.each(['stored', 'not stored'])('is not kept in L1 (rows %s)', async (state) => {
    const store = new FlakyStore(new MemoryStore())
    const { cache, loads } = createTestCache(defineUsers({ l1 }), [wrong], { store })
    if (state === 'not stored') store.fail()
    await cache.get('a')
    await cache.get('a')
    expect(loads).toHaveLength(2)
  })

  it.each(['stored', 'not stored'])('is served where rows are shared (rows %s)', async (state) => {
    const store = new FlakyStore(new MemoryStore())
    if (state === 'not stored') store.fail()
    const { cache } = createTestCache(defineUsers({ rows: 'shared' }), [wrong, user('b')], { store })
    const [a, b] = await cache.getMany(['a', 'b'])
    expect(a).toEqual(wrong)
    expect(b).toEqual(user('b'))
  })
})

it('a shared row that does not match its schema does not affect its neighbours', async () => {
  interface Album {
    id: string
    images: { url: string }[]
  }
  const albums = defineModelCache<Album>()({
    model: 'Album',
    schema: type({ id: 'string', images: type({ url: 'string' }).array() }),
    id: 'id',
    ttl: '1m',
    rows: 'shared',
  })
  const wrong = { id: 'a' } as Album
  const { cache } = createTestCache(albums, [wrong, { id: 'b', images: [{ url: 'x' }] }])
  const [a, b] = await cache.getMany(['a', 'b'])
  expect([a, b!.images]).toEqual([wrong, [{ url: 'x' }]])
})

it('a write before the cache existed, while the store did not answer, shows in its first read', async () => {
  const inner = new MemoryStore()
  await fill(inner, [user('a', 'old')])
  const store = new FlakyStore(inner)
  store.fail()
  const writes = new ModelCacheWrites({ store })
  await writes.prepare()
  const unit = writes.begin()
  unit.markWritten('User', [{ id: 'a' }])
  await unit.fence()
  await unit.end()
  const { cache } = createTestCache(defineUsers(), [user('a', 'new')], { store, writes })
  store.recover()
  expect((await cache.get('a'))!.name).toBe('new')
  await writes.close()
})

describe('an invalidation that does not reach the store', () => {
  const outage = () => {
    const store = new FlakyStore(new MemoryStore())
    const logged: string[] = []
    const { cache, rows } = createTestCache(defineUsers(), [user('a', 'old'), user('b')], {
      store,
      warn: (message) => logged.push(`warn ${message}`),
      info: (message) => logged.push(`info ${message}`),
    })
    return { store, logged, cache, rows }
  }
  const pending = /^warn ModelCache "User": an invalidation has not reached the store; the rows that it/
  const succeeded = /^info ModelCache "User": all invalidations have reached the store\.$/
  const untilSucceeded = (logged: string[]) => eventually(() => logged.at(-1)!.startsWith('info'))

  it.each(['invalidate', 'invalidateAll'] as const)(
    'is logged once, and once more when it has succeeded (%s)',
    async (method) => {
      const { store, logged, cache, rows } = outage()
      await cache.get('a')
      await cache.drain()
      for (let outages = 1; outages <= 2; outages++) {
        store.fail('releaseFences', 'change')
        rows[0] = user('a', `new ${outages}`)
        await Promise.all(['a', 'b', 'a'].map((id) => cache[method](id)))
        expect((await cache.get('a'))!.name).toBe(`new ${outages}`)
        expect(logged).toHaveLength(2 * outages - 1)
        store.recover()
        await untilSucceeded(logged)
        expect(logged).toHaveLength(2 * outages)
        expect((await cache.get('a'))!.name).toBe(`new ${outages}`)
        await cache.drain()
      }
      expect(logged).toEqual(
        [pending, succeeded, pending, succeeded].map((text) => expect.stringMatching(text)),
      )
      await cache.close()
    },
  )

  it('is tried once more when the process ends', async () => {
    const { store, logged, cache } = outage()
    await cache.get('a')
    await cache.drain()
    store.fail('releaseFences')
    await cache.invalidate('a')
    store.recover()
    const before = store.calls.releaseFences
    await cache.close()
    expect(store.calls.releaseFences).toBe(before + 1)
    expect(logged).toHaveLength(1)
  })

  it('is logged when the process ends before it succeeded', async () => {
    const { store, logged, cache } = outage()
    store.fail('releaseFences')
    await cache.invalidate('a')
    await cache.close()
    expect(logged).toEqual([
      expect.stringMatching(pending),
      expect.stringMatching(/^warn ModelCache "User": this process ends with an invalidation that has not/),
    ])
  })
})

describe('application code that throws', () => {
  const throwing = (): never => {
    throw new Error('thrown by the application')
  }
  const observer = Object.fromEntries(
    observedEvents.map((name) => [name, throwing]),
  ) as unknown as ModelObserver

  it('as an observer or a logger fails no read, and is logged once', async () => {
    const logged: string[] = []
    const rows = [user('a', 'x'.repeat(500)), { ...user('b'), name: 5 as never }, user('c')]
    const { cache } = createTestCache(defineUsers({ l1, largePayloadBytes: 100 }), rows, {
      observer: { forModel: () => observer, storeChanged: throwing },
      warn: (message) => {
        logged.push(message)
        throwing()
      },
    })
    for (const _ of ['source', 'memory']) {
      expect(await cache.getMany(['a', 'b', 'c', 'c'])).toStrictEqual([...rows, rows[2]])
      await cache.drain()
    }
    await cache.prime([user('d')])
    await cache.invalidate('a')
    expect(await cache.get('a')).toStrictEqual(rows[0])
    expect(logged.filter((message) => message.includes('observer'))).toEqual([
      'ModelCache "User": its observer throws, so its counts are missing; reads and writes go on: thrown by the application',
    ])
    await cache.close()
  })

  it.each([
    ['that rejects with nothing', () => Promise.reject()],
    ['that throws at once', throwing],
    ['whose judgement of its error throws', () => Promise.reject(new Error('unavailable'))],
  ])('as a source %s, rejects the reads and nothing else', async (_, load) => {
    const source = { load: load as () => Promise<User[]>, mayBlameOneId: throwing }
    const { cache } = createTestCache(defineUsers(), [], { source })
    const outcomes = await cache.getManySettled(['a', 'b'])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await cache.drain()
  })
})
