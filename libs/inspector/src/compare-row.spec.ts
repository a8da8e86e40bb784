import { type } from 'arktype'
import { modelCaches } from 'model-cache'
import { createTestCache } from 'model-cache/testing'
import { compareRow } from './compare-row.js'

const { defineModelCache } = modelCaches()

interface Lot {
  id: number
  slug: string
  owner: string
  price: number
}
const lots = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'number', slug: 'string', owner: 'string', price: 'number' }),
  id: 'id',
  ttl: '10m',
})
const lot = (id: number, fields: Partial<Lot> = {}): Lot => ({
  id,
  slug: `lot-${id}`,
  owner: 'ada',
  price: 5,
  ...fields,
})

describe('a row in the store beside that of the source', () => {
  /** A cache whose source runs `onLoad` first. */
  function open(rows: Lot[]) {
    const state = { onLoad: async (): Promise<unknown> => undefined }
    const { cache } = createTestCache(lots, [], {
      source: {
        load: async (ids) => {
          await state.onLoad()
          return rows.filter(({ id }) => ids.includes(id))
        },
        find: async () => [],
        mayBlameOneId: () => false,
      },
    })
    const fill = async (...ids: number[]): Promise<void> => {
      await cache.getMany(ids)
      await cache.drain()
    }
    const compare = (id: number) => compareRow(cache.inspected.context, id)
    return { cache, compare, state, fill, rows }
  }

  it('is the same, or differs', async () => {
    const { fill, compare, rows } = open([lot(1)])
    await fill(1)
    expect(await compare(1)).toEqual({
      outcome: 'same',
      stored: lot(1),
      source: lot(1),
      loaded: lot(1),
    })
    rows[0] = lot(1, { price: 6 })
    expect(await compare(1)).toMatchObject({
      outcome: 'different',
      stored: { price: 5 },
      source: { price: 6 },
    })
    rows.length = 0
    expect(await compare(1)).toEqual({
      outcome: 'different',
      stored: lot(1),
      source: null,
      loaded: undefined,
    })
  })

  it('is not stored', async () => {
    const { compare } = open([lot(1)])
    expect(await compare(1)).toMatchObject({ outcome: 'notStored', source: lot(1) })
    expect((await compare(1)).stored).toBeUndefined()
    expect(await compare(2)).toMatchObject({ outcome: 'notStored', source: null })
  })

  it('does not exist, as the store says or does not know', async () => {
    const { fill, compare, rows } = open([])
    await fill(1)
    expect(await compare(1)).toMatchObject({ outcome: 'same', stored: null, source: null })
    rows.push(lot(1))
    expect(await compare(1)).toMatchObject({ outcome: 'different', stored: null, source: lot(1) })
  })

  it.each([
    ['this row', (cache: ReturnType<typeof open>['cache']) => cache.invalidate(1)],
    ['all rows', (cache: ReturnType<typeof open>['cache']) => cache.invalidateAll()],
  ])('says nothing after a write of %s meanwhile', async (_, write) => {
    const { cache, fill, compare, state } = open([lot(1)])
    await fill(1)
    state.onLoad = () => write(cache)
    expect(await compare(1)).toMatchObject({ outcome: 'changed', source: lot(1) })
  })

  it('says nothing if the row is fenced meanwhile that the store does not have', async () => {
    const { cache, compare, state } = open([lot(1)])
    await cache.get(2)
    await cache.drain()
    state.onLoad = () => cache.invalidate(1)
    expect((await compare(1)).outcome).toBe('changed')
  })

  it('has the form in which it would be stored, if it matches its schema', async () => {
    const { fill, compare, rows } = open([{ ...lot(1), more: 1 } as Lot])
    expect((await compare(1)).source).toStrictEqual(lot(1))
    await fill(1)
    expect((await compare(1)).outcome).toBe('same')
    const wrong = lot(1, { price: 'five' as never })
    rows[0] = wrong
    expect(await compare(1)).toMatchObject({ outcome: 'different', source: wrong })
  })
})
