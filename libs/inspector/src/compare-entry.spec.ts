import { type } from 'arktype'
import { modelCaches } from 'model-cache'
import { createTestCache, MemoryStore } from 'model-cache/testing'
import { compareEntry, type EntryComparison } from './compare-entry.js'

const { defineModelCache } = modelCaches()

interface Lot {
  id: number
  slug: string
  owner: string
  state: string
  price: number
}
const lots = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'number', slug: 'string', owner: 'string', state: 'string', price: 'number' }),
  id: 'id',
  ttl: '10m',
  unique: { slug: 'slug' },
  lists: { open: { by: 'owner', where: { state: 'open' }, orderBy: { price: 'asc' }, maxRows: 2_000 } },
})
const lot = (id: number, fields: Partial<Lot> = {}): Lot => ({
  id,
  slug: `lot-${id}`,
  owner: 'ada',
  state: 'open',
  price: id,
  ...fields,
})

/** A cache whose source runs `onFind` before it finds the rows of an entry. */
function openCache(...rows: Lot[]) {
  const state = { onFind: async (): Promise<unknown> => undefined }
  const loads: (readonly number[])[] = []
  const { cache } = createTestCache(lots, [], {
    store: new MemoryStore(),
    source: {
      load: async (ids) => {
        loads.push(ids)
        return rows.filter(({ id }) => ids.includes(id))
      },
      find: async (query) => {
        await state.onFind()
        const { AND = [query.where] } = query.where as { AND?: object[] }
        const wanted: Partial<Lot> = Object.assign({}, ...AND)
        return rows
          .filter((row) => Object.entries(wanted).every(([name, value]) => row[name as keyof Lot] === value))
          .toSorted((one, other) => one.price - other.price)
      },
      mayBlameOneId: () => false,
    },
  })
  const compare = async (name: 'slug' | 'open', text: string): Promise<EntryComparison> => {
    loads.length = 0
    const { key, lookup } = cache.inspected.keyOf(name, text)
    return compareEntry(cache.inspected.context, lookup, key)
  }
  /** Stores the list, and its rows. */
  const fill = async (): Promise<void> => {
    await cache.list('open', 'ada')
    await cache.drain()
  }
  return { cache, compare, fill, loads, rows, state }
}

const short = ({ rows }: EntryComparison) =>
  rows.map(({ belongs, rowId, sourceAt, storedAt, value }) => [
    rowId,
    { storedAt, sourceAt, belongs, isHit: value.isHit },
  ])

describe('the entry of a list beside that of the source', () => {
  it('differs if one of its rows left it, and the store still has that row as it was', async () => {
    const { compare, fill, loads, rows } = openCache(lot(1), lot(2))
    await fill()
    rows[0] = lot(1, { owner: 'bob' })
    const compared = await compare('open', 'ada')
    expect(compared).toMatchObject({ outcome: 'different', stored: [1, 2], source: [2] })
    expect(short(compared)).toEqual([
      [2, { storedAt: 1, sourceAt: 0, belongs: true, isHit: true }],
      [1, { storedAt: 0, sourceAt: -1, belongs: true, isHit: true }],
    ])
    expect(loads.at(-1)).toEqual([1])
  })

  it.each([
    ['has another key', lot(1, { owner: 'bob' })],
    ['does not fulfil the condition', lot(1, { state: 'sold' })],
    ['was deleted', undefined],
  ])('is outdated if one of its rows %s, as a read gets that row', async (_, changed) => {
    const { cache, compare, fill, rows } = openCache(lot(1), lot(2))
    await fill()
    rows.splice(0, 1, ...(changed ? [changed] : []))
    await cache.invalidate(1)
    const compared = await compare('open', 'ada')
    expect(compared).toMatchObject({ outcome: 'outdated', stored: [1, 2], source: [2] })
    expect(short(compared)[1]).toEqual([1, { storedAt: 0, sourceAt: -1, belongs: false, isHit: false }])
    // The read stores that the row does not exist, or what it is.
    await cache.get(1)
    await cache.drain()
    const again = await compare('open', 'ada')
    expect(again.outcome).toBe('outdated')
    expect(short(again)[1]).toEqual([1, { storedAt: 0, sourceAt: -1, belongs: false, isHit: true }])
  })

  it('is outdated if one of its rows has another place', async () => {
    const { cache, compare, fill, rows } = openCache(lot(1), lot(2))
    await fill()
    rows[0] = lot(1, { price: 3 })
    await cache.invalidate(1)
    const compared = await compare('open', 'ada')
    expect(compared).toMatchObject({ outcome: 'outdated', stored: [1, 2], source: [2, 1] })
    expect(short(compared)).toEqual([
      [2, { storedAt: 1, sourceAt: 0, belongs: true, isHit: true }],
      [1, { storedAt: 0, sourceAt: 1, belongs: true, isHit: false }],
    ])
  })

  it('is outdated though it is the same as that of the source, if the store has a row that does not belong to it', async () => {
    const { cache, compare, fill, rows } = openCache(lot(1), lot(2))
    await fill()
    rows[0] = lot(1, { owner: 'bob' })
    await cache.invalidate(1)
    await cache.get(1)
    await cache.drain()
    rows[0] = lot(1)
    const compared = await compare('open', 'ada')
    expect(compared).toMatchObject({ outcome: 'outdated', stored: [1, 2], source: [1, 2] })
    expect(compared.rows.map(({ belongs }) => belongs)).toEqual([false, true])
  })

  it('cannot be compared if it is written meanwhile', async () => {
    const { cache, compare, fill, rows, state } = openCache(lot(1), lot(2))
    await fill()
    rows[0] = lot(1, { owner: 'bob' })
    await cache.invalidate(1)
    state.onFind = () => cache.invalidateBy('open', 'ada')
    expect(await compare('open', 'ada')).toMatchObject({ outcome: 'changed', stored: [1, 2], source: [2] })
  })

  it('is compared by its first 1,000 rows, those of the source before others', async () => {
    const all = Array.from({ length: 1_001 }, (_, id) => lot(id))
    const { cache, compare, fill, rows } = openCache(...all)
    await fill()
    rows[0] = lot(0, { owner: 'bob' })
    await cache.invalidate(0)
    const compared = await compare('open', 'ada')
    // Row 0 is not among them, so nobody knows that a read would refuse the entry.
    expect(compared.outcome).toBe('different')
    expect([compared.stored!.length, compared.source.length, compared.rows.length]).toEqual([
      1_001, 1_000, 1_000,
    ])
    expect(compared.rows.every(({ belongs }) => belongs)).toBe(true)
  })
})

describe('the entry of a unique key beside that of the source', () => {
  const read = async ({ cache }: ReturnType<typeof openCache>, slug: string): Promise<void> => {
    await cache.getBy('slug', slug)
    await cache.drain()
  }

  it('says that no row has the key', async () => {
    const opened = openCache()
    await read(opened, 'lot-1')
    expect(await opened.compare('slug', 'lot-1')).toEqual({
      outcome: 'same',
      stored: [],
      source: [],
      rows: [],
    })
    opened.rows.push(lot(1))
    const compared = await opened.compare('slug', 'lot-1')
    expect(compared).toMatchObject({ outcome: 'different', stored: [], source: [1] })
    expect(short(compared)).toEqual([[1, { storedAt: -1, sourceAt: 0, belongs: true, isHit: false }]])
  })

  it('names a row that was deleted', async () => {
    const opened = openCache(lot(1))
    await read(opened, 'lot-1')
    opened.rows.length = 0
    const compared = await opened.compare('slug', 'lot-1')
    expect(compared).toMatchObject({ outcome: 'different', stored: [1], source: [] })
    expect(short(compared)).toEqual([[1, { storedAt: 0, sourceAt: -1, belongs: true, isHit: true }]])
    expect(opened.loads.at(-1)).toEqual([1])
  })
})
