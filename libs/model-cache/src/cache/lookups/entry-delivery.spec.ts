import { jest } from '@jest/globals'
import { type } from 'arktype'
import { manualClock } from '../../../../../test/support/manual-clock.js'
import { recordedEvents } from '../../../../../test/support/recorded-events.js'
import type { CreateModelCacheOptions } from '../../create-model-cache.js'
import { bindDefinition } from '../../definitions/bind-definition.js'
import { type LeaseAnswer, MemoryStore } from '../../protocol/index.js'
import { createTestCache, rowFinder } from '../../testing/test-cache.js'
import { type CacheOptions, defineModelCache } from '../policy/definition.js'

afterEach(() => {
  jest.restoreAllMocks()
})

interface Lot {
  id: number
  slug: string
  owner: string
  endsAt: Date
}
const lot = (id: number, fields: Partial<Lot> = {}): Lot => ({
  id,
  slug: `lot-${id}`,
  owner: 'ada',
  endsAt: new Date(id),
  ...fields,
})

const copy = (row: Lot): Lot => ({
  ...row,
  endsAt: row.endsAt instanceof Date ? new Date(row.endsAt) : row.endsAt,
})

/** A cache whose source does something first. */
function open(
  rows: Lot[],
  options: Partial<CacheOptions> = {},
  overrides: Partial<CreateModelCacheOptions<Lot, number>> = {},
) {
  const definition = defineModelCache<Lot>()({
    model: 'Lot',
    schema: type({ id: 'number', slug: 'string', owner: 'string', endsAt: 'Date' }),
    id: 'id',
    ttl: '10m',
    unique: { slug: 'slug' },
    lists: { ofOwner: { by: 'owner' } },
    ...options,
  })
  const state = { onLoad: async () => {}, onFind: async () => {} }
  const counts = { finds: 0 }
  const find = rowFinder(bindDefinition(definition, undefined).lookups)
  const events = recordedEvents()
  const { cache } = createTestCache(definition, [], {
    observer: events.observer,
    source: {
      load: async (ids) => {
        await state.onLoad()
        return rows.filter(({ id }) => ids.includes(id)).map(copy)
      },
      find: async (query) => {
        counts.finds++
        await state.onFind()
        return find(rows, query).map(copy)
      },
      mayBlameOneId: () => false,
    },
    ...overrides,
  })
  const list = (): Promise<Lot[]> => cache.list('ofOwner', 'ada')
  /** Stores the list, and its rows. */
  const fill = async (): Promise<void> => {
    await list()
    await cache.drain()
    counts.finds = 0
    events.forget()
  }
  return { cache, counts, events, fill, list, rows, state }
}

describe('several callers of one list', () => {
  it('get rows of their own that do not match the schema', async () => {
    const wrong = lot(1, { endsAt: { soon: true } as never })
    const [one, other] = await Promise.all(Array.from({ length: 2 }, open([lot(2), wrong]).list))
    expect([one, other]).toEqual([
      [lot(2), wrong],
      [lot(2), wrong],
    ])
    expect(one![0]).not.toBe(other![0])
  })

  it('hear together that no row has a unique key', async () => {
    const { cache, events } = open([])
    for (const outcome of ['miss', 'hit']) {
      expect(await Promise.all([cache.getBy('slug', 'x'), cache.getBy('slug', 'x')])).toEqual([null, null])
      await cache.drain()
      expect(events.of('readSeconds', 'slug')).toEqual([[expect.any(Number), 1, outcome]])
      events.forget()
    }
  })

  it('get the error of the source for a row that the store has no more', async () => {
    const { cache, events, fill, list, state } = open([lot(1)])
    await fill()
    await cache.invalidate(1)
    state.onLoad = () => Promise.reject(new Error('no connection'))
    const outcomes = await Promise.allSettled([list(), list()])
    const rejected = { status: 'rejected', reason: new Error('no connection') }
    expect(outcomes).toEqual([rejected, rejected])
    expect(events.of('readSeconds', 'ofOwner')).toEqual([[expect.any(Number), 1, 'hit']])
  })

  it('get an error if the source gives a row without an id', async () => {
    const { list } = open([lot('x' as never)])
    await expect(list()).rejects.toMatchObject({ code: 'E_INVALID_ID' })
  })
})

it('says how long the lists of a tick took', async () => {
  const clock = manualClock()
  const { cache, events, state } = open([lot(1), lot(2, { owner: 'bob' })])
  state.onFind = async () => clock.pass(250)
  for (const [seconds, outcome] of [
    [0.25, 'miss'],
    [0, 'hit'],
  ]) {
    expect(await cache.listMany('ofOwner', ['ada', 'bob'])).toHaveLength(2)
    await cache.drain()
    expect(events.of('readSeconds', 'ofOwner')).toEqual([[seconds, 2, outcome]])
    events.forget()
  }
})

describe('the rows of a loaded list', () => {
  it.each([
    [{}, false],
    [{ l1: { ttl: '1m' } }, false],
    [{ rows: 'shared' }, false],
    [{ rows: 'shared', l1: { ttl: '1m' } }, true],
  ] as const)('are frozen for a single caller only if memory keeps them: %j', async (options, areFrozen) => {
    const { cache, list } = open([lot(1)], options)
    const [row] = await list()
    expect(Object.isFrozen(row)).toBe(areFrozen)
    await cache.drain()
    if (!areFrozen) row!.owner = 'bob'
    expect((await cache.get(1))!.owner).toBe('ada')
  })

  it.each(['copies', 'shared'] as const)(
    'replace in memory what was read from the store while they were loaded (%s)',
    async (rowsOf) => {
      const store = new MemoryStore()
      const { cache, list, rows, state } = open([lot(1)], { rows: rowsOf, l1: { ttl: '1m' } }, { store })
      const other = open(rows, {}, { store })
      await cache.get(2)
      await other.cache.get(1)
      await other.cache.drain()
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      state.onFind = () => {
        begun.resolve()
        return gate.promise
      }
      const loading = list()
      await begun.promise
      await cache.get(1)
      rows[0] = lot(1, { slug: 'new' })
      await other.cache.invalidate(1)
      gate.resolve()
      expect(await loading).toEqual(rows)
      expect(await cache.get(1)).toEqual(rows[0])
    },
  )

  it('are not encoded again when the entry is refreshed ahead', async () => {
    // Each ttl is somewhat shorter than that of the definition.
    jest.spyOn(Math, 'random').mockReturnValue(0.5)
    const { cache, counts, events, fill, list } = open([lot(1)], { refreshAhead: '9.9m' })
    await fill()
    expect(await list()).toEqual([lot(1)])
    await cache.drain()
    expect(counts.finds).toBe(1)
    // The row itself has been refreshed as well, by one encoding.
    expect(events.of('syncSeconds').filter(([operation]) => operation === 'encode')).toHaveLength(1)
    expect(events.of('readSeconds', 'ofOwner')).toHaveLength(1)
  })
})

describe('a stored list with a row that has left it', () => {
  const leave = async ({ cache, fill, rows }: ReturnType<typeof open>): Promise<void> => {
    await fill()
    rows[0] = lot(1, { owner: 'bob' })
    await cache.invalidate(1)
  }

  it('is loaded without a lease after three others have stored it so', async () => {
    // Other processes store the list as it was whenever this one asks for a lease.
    const store = new MemoryStore()
    const opened = open([lot(1), lot(2)], {}, { store })
    await leave(opened)
    const leaseMany = store.leaseMany.bind(store)
    let refused = 0
    store.leaseMany = async (keys, request): Promise<LeaseAnswer[]> => {
      const answers = await leaseMany(keys, request)
      return answers.map((answer, i) => {
        if (!keys[i]!.key.includes('ofOwner=')) return answer
        refused++
        return { token: null, refusal: 'filled' }
      })
    }
    const { counts, events, list } = opened
    expect(await list()).toEqual([lot(2)])
    expect([counts.finds, refused]).toEqual([1, 3])
    expect(events.of('misses', 'ofOwner')).toEqual([
      ['outdated', 1],
      ['outdated', 1],
      ['outdated', 1],
      ['outdated', 1],
    ])
  })
})
