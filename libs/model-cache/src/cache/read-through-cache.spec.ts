import { setImmediate as turn } from 'node:timers/promises'
import { type } from 'arktype'
import { eventually } from '../../../../test/support/eventually.js'
import { counting } from '../../../../test/support/observing.js'
import { defineUsers, type User, user } from '../../../../test/support/user-caches.js'
import type { Source } from '../source/source.js'
import { type Fill, MemoryStore } from '../protocol/index.js'
import { FlakyStore } from '../testing/flaky-store.js'
import { createTestCache } from '../testing/test-cache.js'
import { writeValue } from '../testing/write-value.js'
import { defineModelCache } from './policy/definition.js'

const users = defineUsers()

/** Counts what the cache tells, as `kind layer outcome`. */
const recorder = () =>
  counting((add) => ({
    reads: (layer, outcome, count) => add(`${layer} ${outcome}`, count),
    misses: (reason, count) => add(`miss ${reason}`, count),
    fills: (outcome, count) => add(`fill ${outcome}`, count),
  }))

describe('reading through', () => {
  it('loads only rows that the store does not have', async () => {
    const { cache, loads } = createTestCache(users, [user('a')])
    expect(await cache.get('a')).toStrictEqual(user('a'))
    await cache.drain()
    expect(await cache.get('a')).toStrictEqual(user('a'))
    expect(loads).toEqual([['a']])
  })

  it('loads all misses of a tick in one call, each id once', async () => {
    const { cache, loads } = createTestCache(
      users,
      ['a', 'b', 'c'].map((id) => user(id)),
    )
    const asked = [cache.get('a'), cache.getMany(['b', 'a']), Promise.resolve().then(() => cache.get('c'))]
    await Promise.all(asked)
    expect(loads).toEqual([['a', 'b', 'c']])
  })

  it('returns rows in the order of the ids, null for an unknown one', async () => {
    const { cache } = createTestCache(users, [user('a'), user('b')])
    expect(await cache.getMany(['b', 'x', 'a', 'b'])).toStrictEqual([user('b'), null, user('a'), user('b')])
    expect(await cache.getMany([])).toEqual([])
  })

  it('caches that a row does not exist', async () => {
    const { cache, loads } = createTestCache(users, [])
    expect(await cache.get('x')).toBeNull()
    await cache.drain()
    expect(await cache.get('x')).toBeNull()
    expect(loads).toEqual([['x']])
  })

  it('gives every caller a row of its own, from the source and from the store', async () => {
    const { cache } = createTestCache(users, [user('a')])
    for (const _ of ['source', 'store']) {
      const [first, second] = await cache.getMany(['a', 'a'])
      first!.bornAt.setTime(0)
      first!.name = 'changed'
      expect(second).toStrictEqual(user('a'))
      await cache.drain()
    }
    expect(await cache.get('a')).toStrictEqual(user('a'))
  })

  it('rejects an id of another type, and names the expected one', async () => {
    const { cache } = createTestCache(users, [])
    await expect(cache.get(undefined as never)).rejects.toThrow(
      'ModelCache "User": id is undefined; expected a well-formed string',
    )
    await expect(cache.get(5 as never)).rejects.toMatchObject({ code: 'E_INVALID_ID' })
    await expect(cache.invalidate('\ud800')).rejects.toMatchObject({ code: 'E_INVALID_ID' })
  })
})

describe('invalidating', () => {
  it('makes the next read load the row again', async () => {
    const { cache, rows, loads } = createTestCache(users, [user('a'), user('b')])
    await cache.getMany(['a', 'b'])
    await cache.drain()
    rows[0] = user('a', 'new')
    await cache.invalidate('a')
    expect((await cache.get('a'))!.name).toBe('new')
    await cache.get('b')
    expect(loads).toEqual([['a', 'b'], ['a']])
  })

  it('stores all primed rows or none', async () => {
    const { cache, loads } = createTestCache(users, [])
    await expect(cache.prime([user('a'), { id: 'b' } as never])).rejects.toMatchObject({ code: 'E_ENCODE' })
    await cache.prime([user('c')])
    expect(await cache.getMany(['a', 'c'])).toStrictEqual([null, user('c')])
    expect(loads).toEqual([['a']])
  })
})

describe('when the store is unavailable', () => {
  it('serves rows when the store can be read but not written', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { counts, observer } = recorder()
    const { cache } = createTestCache(users, [user('a')], { store, observer })
    await cache.get('-')
    await cache.drain()
    store.fail('fillMany')
    expect(await cache.get('a')).toStrictEqual(user('a'))
    await cache.drain()
    expect(counts['fill store_error']).toBe(1)
    await expect(cache.prime([user('a')])).resolves.toBeUndefined()
  })

  it.each(['invalidate', 'invalidateAll'] as const)(
    'does not read what it could not remove, and removes it when it can (%s)',
    async (method) => {
      const store = new FlakyStore(new MemoryStore())
      const { counts, observer } = recorder()
      const { cache, rows, loads } = createTestCache(users, [user('a', 'old')], { store, observer })
      await cache.get('a')
      await cache.drain()
      rows[0] = user('a', 'new')
      store.fail('releaseFences', 'change')
      await cache[method](['a'])
      expect((await cache.get('a'))!.name).toBe('new')
      expect((await cache.get('a'))!.name).toBe('new')
      expect(counts['miss pending_invalidation']).toBe(2)
      store.recover()
      const removed = method === 'invalidate' ? 'releaseFences' : 'change'
      const tries = store.calls[removed]
      await eventually(() => store.calls[removed] !== tries)
      await turn()
      expect((await cache.get('a'))!.name).toBe('new')
      await cache.drain()
      const loadsBefore = loads.length
      expect((await cache.get('a'))!.name).toBe('new')
      expect(loads).toHaveLength(loadsBefore)
    },
  )

  it('treats an undecodable value as a miss, and replaces it', async () => {
    const store = new MemoryStore()
    const keys: string[] = []
    const spying = new FlakyStore(store)
    const fillMany = spying.fillMany.bind(spying)
    spying.fillMany = (fills) => {
      keys.push(...fills.map(({ key }) => key))
      return fillMany(fills)
    }
    const { counts, observer } = recorder()
    const { cache } = createTestCache(users, [user('a')], { store: spying, observer })
    await cache.get('a')
    await cache.drain()
    const [value] = await store.getMany(keys)
    for (const damaged of [value!.slice(0, -5), '', 'x', value!.replace(/^./, '?')]) {
      await writeValue(store, keys[0]!, damaged, 60_000)
      expect(await cache.get('a')).toStrictEqual(user('a'))
      await cache.drain()
      expect(await store.getMany(keys)).not.toEqual([damaged])
    }
    expect(counts['miss undecodable']).toBe(4)
  })
})

describe('a value copied from another key', () => {
  const fill = async (definition: typeof users, store: MemoryStore, rows: User[]) => {
    const written: Fill[] = []
    const fillMany = store.fillMany.bind(store)
    store.fillMany = (fills) => {
      written.push(...fills)
      return fillMany(fills)
    }
    const { cache } = createTestCache(definition, rows, { store })
    await cache.getMany(rows.map((row) => row.id))
    await cache.drain()
    return { cache, written }
  }

  it('is a miss when it has another id', async () => {
    const store = new MemoryStore()
    const { cache, written } = await fill(users, store, [user('a'), user('b')])
    await writeValue(store, written[0]!.key, written[1]!.value, 60_000)
    expect(await cache.get('a')).toStrictEqual(user('a'))
  })

  it('is a miss when it has another schema or model', async () => {
    const store = new MemoryStore()
    const { cache, written } = await fill(users, store, [user('a')])
    const others = [defineUsers({ version: 2 }), defineUsers({ name: 'Other' })]
    for (const other of others) {
      const { written: foreign } = await fill(other, new MemoryStore(), [user('a', 'foreign')])
      await writeValue(store, written[0]!.key, foreign[0]!.value, 60_000)
      expect(await cache.get('a')).toStrictEqual(user('a'))
      await cache.drain()
    }
  })
})

describe('when the source fails', () => {
  it('rejects, and loads again on the next read', async () => {
    let failing = true
    const source: Source<User, string> = {
      load: async (ids) => {
        if (failing) throw new Error('connection lost')
        return ids.map((id) => user(id))
      },
      mayBlameOneId: () => false,
    }
    const { cache } = createTestCache(users, [], { source })
    await expect(cache.get('a')).rejects.toThrow('connection lost')
    failing = false
    expect(await cache.get('a')).toStrictEqual(user('a'))
  })

  it('serves a row that does not match its schema, does not cache it, and warns once', async () => {
    const warnings: string[] = []
    const { counts, observer } = recorder()
    const wrong = { id: 'a', name: 5, bornAt: new Date() } as never
    const { cache } = createTestCache(users, [wrong], { warn: (message) => warnings.push(message), observer })
    expect(await cache.get('a')).toEqual(wrong)
    expect(await cache.get('a')).toEqual(wrong)
    expect(counts['fill refused']).toBe(2)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(
      'ModelCache "User": value at "name" cannot be cached: expected a string, got a number.',
    )
  })
})

describe('edge cases', () => {
  it('does not store primed rows that are invalidated meanwhile', async () => {
    const { cache, rows } = createTestCache(users, [user('a', 'new')])
    const primed = cache.prime([user('a', 'old')])
    await cache.invalidate('a')
    await primed
    expect((await cache.get('a'))!.name).toBe('new')
    expect(rows).toHaveLength(1)
  })

  it('returns the row of an id in another spelling, and stores it under neither', async () => {
    const loads: (readonly string[])[] = []
    const source: Source<User, string> = {
      load: async (ids) => (loads.push(ids), ids.some((id) => id.toLowerCase() === 'a') ? [user('a')] : []),
      mayBlameOneId: () => true,
    }
    const { cache } = createTestCache(users, [], { source })
    for (const _ of ['once', 'again']) expect(await cache.getMany(['A', 'b'])).toEqual([user('a'), null])
    await cache.drain()
    expect(loads).toEqual([['A', 'b'], ['A']])
    expect((await cache.explain('A')).stored).toMatchObject({ isHit: false })
    expect((await cache.explain('a')).stored).toMatchObject({ isHit: false })
  })

  it('does not cache that a row is missing when its id may have another spelling', async () => {
    const { cache, loads } = createTestCache(users, [])
    const ids = ['0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a', '0B9C1F5E-6D0F-4D7A-9B68-9E7C0F2F4C3A', 'X']
    for (const _ of ['once', 'again']) {
      for (const id of ids) expect(await cache.get(id)).toBeNull()
      await cache.drain()
    }
    expect(loads.flat()).toEqual([...ids, ids[1]])
  })

  it('does not take the negative entry of another id for that of a row', async () => {
    const store = new MemoryStore()
    const { cache, rows } = createTestCache(users, [], { store })
    expect(await cache.get('a')).toBeNull()
    await cache.drain()
    const keyOf = async (id: string): Promise<string> => (await cache.explain(id)).key
    const [value] = await store.getMany([await keyOf('a')])
    expect(value).toMatch(/;-;a$/)
    await writeValue(store, await keyOf('b'), value!, 60_000)
    rows.push(user('b'))
    expect(await cache.get('b')).toEqual(user('b'))
  })

  it('closes while a caller goes on reading', async () => {
    const { cache } = createTestCache(users, [user('a')])
    const stop = new AbortController()
    const reader = (async () => {
      while (!stop.signal.aborted) await cache.get('a')
    })()
    await cache.close()
    stop.abort()
    await reader
  })
})

describe('composite ids', () => {
  interface Page {
    orgId: number
    slug: string
    title: string
  }
  const pages = defineModelCache<Page>()({
    model: 'Page',
    schema: type({ orgId: 'number', slug: 'string', title: 'string' }),
    id: ['orgId', 'slug'],
    ttl: 60_000,
  })

  it('find their rows, whatever characters their fields contain', async () => {
    const rows = [
      { orgId: 1, slug: 'a:b', title: 'one' },
      { orgId: 1, slug: 'a%3Ab', title: 'two' },
    ]
    const { cache } = createTestCache(pages, rows)
    for (const _ of ['source', 'store']) {
      expect(await cache.getMany(rows)).toStrictEqual(rows)
      await cache.drain()
    }
    await cache.invalidate({ orgId: 1, slug: 'a:b' })
    const id = { orgId: 1, slug: 'a:b' }
    const asked = cache.get(id)
    id.slug = 'changed after it was asked'
    expect(await asked).toStrictEqual(rows[0])
    await expect(cache.get({ orgId: 1 } as never)).rejects.toThrow(
      'expected an object { orgId: a finite number, safe if it is whole, slug: a well-formed string without NUL }',
    )
  })
})
