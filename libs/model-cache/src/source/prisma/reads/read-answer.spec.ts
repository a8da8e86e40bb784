import type { CachedRow } from '../../read-caches.js'
import type {
  KeyPlan,
  ListPlan,
  RelatedList,
  RelatedPlan,
  RelatedRow,
  RelatedRows,
  RowPlan,
} from './read-plan.js'
import { Projection, type ResultForm } from './projection.js'
import { answeringOf, answerOf } from './read-answer.js'
import type { ReadableCache } from './readable-cache.js'
import { idKeyOf, type KeyColumn, readableLookupKey } from './readable-key.js'
import { composed, selectEach } from './read-related.js'
import { allRows, type RowSelection, selectRows } from './row-selection.js'
import type { RowTest, Truth } from './row-test.js'

type ListedRows = RelatedRows & RelatedList

/** A lookup by `code`, of a database that compares without case. */
function lookupOf(rows: readonly CachedRow[]) {
  const keyOf = ({ code }: CachedRow): string => String(code)
  const findMany = async (keys: readonly CachedRow[]): Promise<CachedRow[][]> =>
    keys.map((key) => rows.filter((row) => keyOf(row).toLowerCase() === keyOf(key).toLowerCase()))
  return { keyOf, findMany }
}

const timeOf = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value)
const column = (name: string): KeyColumn =>
  ({
    name,
    read: (value: unknown) => value,
    takesLists: true,
    isEqual: (one: unknown, other: unknown) => timeOf(one) === timeOf(other),
  }) as KeyColumn

const readable = { cache: { sharesRows: false } } as ReadableCache
/** Makes results of a function of the row, and of what it has of relations with these names. */
const formOf = (of: (row: CachedRow) => CachedRow, ...names: readonly string[]): ResultForm => ({
  of: (row, isOwn) => (isOwn ? of(row) : { ...of(row) }),
  withRelated: (row, _isOwn, related, at) => ({
    ...of(row),
    ...Object.fromEntries(related.map((each, i) => [names[i] ?? 'value', each[at]])),
  }),
})
const idOf = ({ id }: CachedRow): CachedRow => ({ id })
const itself = formOf((row) => row)
const rowPlan: RowPlan = {
  readable,
  selection: allRows,
  form: formOf(idOf),
  projection: new Projection(['id']),
  related: [],
}
const upper = { id: 1, code: 'A' }
const lower = { id: 2, code: 'a' }

function keyPlan(rows: readonly CachedRow[], ids: readonly unknown[], by: readonly string[]): KeyPlan {
  const fields = by.map(column)
  const key = readableLookupKey(lookupOf(rows), { fields, names: new Set(), maxKeys: 10 })
  return { ...rowPlan, key, ids }
}

function listPlan(rows: readonly CachedRow[], code: string): ListPlan {
  const list = { fields: [column('code')], lookup: lookupOf(rows) } as unknown as ListPlan['list']
  return { ...rowPlan, list, listKeys: [{ code }] }
}

it('leaves a row of another key to the database', async () => {
  expect(await answerOf(keyPlan([upper], ['a'], ['code']), 'findUnique')).toEqual('id_value')
  // Both are the same row, which the database returns once.
  expect(await answerOf(keyPlan([upper], ['a', 'A'], ['code']), 'findMany')).toEqual('id_value')
})

it('leaves a list with rows of another key to the database', async () => {
  expect(await answerOf(listPlan([upper, lower], 'A'), 'findMany')).toEqual('id_value')
  const plan = listPlan([upper, { id: 3, code: 'B' }], 'A')
  const several = (code: string) => answerOf({ ...plan, listKeys: [{ code: 'A' }, { code }] }, 'findMany')
  expect(await several('B')).toEqual([{ id: 1 }, { id: 3 }])
  expect(await several('b')).toEqual('id_value')
})

/** A plan for rows by their ids, of a cache that says how it was asked. */
function idPlan(ids: readonly unknown[], names: readonly string[], change: Partial<RowSelection> = {}) {
  const asked: string[] = []
  const rowOf = (id: unknown): CachedRow | null => {
    if (id === 0) return null
    return names.length === 1 ? { id } : { ...(id as CachedRow) }
  }
  const cache = {
    async get(id: unknown) {
      asked.push('get')
      return rowOf(id)
    },
    async getMany(ids: readonly unknown[]) {
      asked.push('getMany')
      return ids.map(rowOf)
    },
  }
  const fields = names.map(column)
  const key = idKeyOf(cache, { fields, names: new Set(), maxKeys: 10 })
  const plan: KeyPlan = {
    ...keyPlan([], ids, ['id']),
    key,
    form: formOf((row) => ({ ...row })),
    selection: { ...allRows, ...change },
  }
  return { plan, asked, answer: (action: string) => answerOf(plan, action) }
}

it('asks for one row if there can be no other, and otherwise for all at once', async () => {
  const { answer, asked } = idPlan([3], ['id'], { take: 1 })
  expect(await answer('findFirst')).toEqual({ id: 3 })
  expect(await answer('findMany')).toEqual([{ id: 3 }])
  expect(await idPlan([3], ['id'], { skip: 1, take: 1 }).answer('findFirst')).toBeNull()
  expect(await idPlan([0], ['id'], { take: 1 }).answer('findFirst')).toBeNull()
  expect(asked).toEqual(['get', 'getMany'])
})

it('leaves a row with another id to the database', async () => {
  const key = { org: 1, slug: 'a' }
  const { plan } = idPlan([key], ['org', 'slug'])
  const rowOf = (row: CachedRow) => ({ ...plan, key: { ...plan.key, get: async () => row } })
  expect(await answerOf(rowOf({ ...key, title: 'A' }), 'findUnique')).toEqual({ ...key, title: 'A' })
  expect(await answerOf(rowOf({ org: 1, slug: 'A' }), 'findUnique')).toEqual('id_value')
  expect(await answerOf(rowOf({ org: 2, slug: 'a' }), 'findUnique')).toEqual('id_value')
  const single = idPlan(['a'], ['id']).plan
  const other = { ...single, key: { ...single.key, getMany: async () => [{ id: 'A' }] } }
  expect(await answerOf(other, 'findMany')).toEqual('id_value')
  const ordered = { ...other, selection: { ...allRows, compare: () => 0 } }
  expect(await answerOf(ordered, 'findMany')).toEqual('id_value')
  const link = { key: single.key, from: ['id'], keyOf: ({ id }: CachedRow) => id, isCertain: true }
  expect(await answerOf({ ...rowPlan, costs: undefined, origin: other, link }, 'findMany')).toEqual(
    'id_value',
  )
  expect(await answerOf({ ...rowPlan, costs: undefined, origin: single, link }, 'findMany')).toEqual([
    { id: 'a' },
  ])
  const { list, selection } = listPlan([upper], 'A')
  const links = { list, selection, from: ['id'], keyOf: ({ id }: CachedRow) => ({ code: id }) }
  expect(await answerOf({ ...rowPlan, costs: undefined, origin: single, link: links }, 'findMany')).toEqual(
    'id_value',
  )
})

describe('selectRows', () => {
  const rows = [1, 2, 2, 3].map((rank, id) => ({ id, rank }))
  const ids = (change: Partial<RowSelection>) => {
    const found = selectRows(rows, { ...allRows, ...change })
    return typeof found === 'string' ? found : found.map((row) => row['id'])
  }
  const areTied: RowSelection['areTied'] = (row, next) => row['rank'] === next['rank']

  it('begins at the row of a cursor, and leaves one that is not among the rows to the database', () => {
    expect(ids({ isCursor: ({ id }) => id === 2 })).toEqual([2, 3])
    expect(ids({ isCursor: ({ id }) => id === 0, skip: 1 })).toEqual([1, 2, 3])
    expect(ids({ isCursor: ({ id }) => id === 9 })).toBe('paging')
  })

  it('leaves a list that may lack rows to the database', () => {
    expect([ids({ completeBelow: 4 }), ids({ completeBelow: 5 })]).toEqual(['paging', [0, 1, 2, 3]])
    expect(ids({ completeBelow: 4, take: 1 })).toBe('paging')
  })

  it('copies no rows where all of them are the result', () => {
    for (const take of [Infinity, rows.length]) expect(selectRows(rows, { ...allRows, take })).toBe(rows)
  })

  it('leaves a page to the database that begins or ends between equal rows, for the reason of the query', () => {
    const tied = { areTied, cutReason: 'order' } as const
    expect(ids({ ...tied, take: 2 })).toBe('order')
    expect(ids({ ...tied, skip: 2 })).toBe('order')
    expect(ids({ ...tied, cutReason: 'paging', take: 2 })).toBe('paging')
    expect(ids({ ...tied, skip: 1, take: 1 })).toBe('order')
    expect(ids({ ...tied, skip: 1, take: 2 })).toEqual([1, 2])
    expect(ids({ ...tied, take: 1 })).toEqual([0])
    expect(ids({ ...tied, take: 3 })).toEqual([0, 1, 2])
    expect(ids({ ...tied, take: 4 })).toEqual([0, 1, 2, 3])
    expect(ids({ ...tied, skip: 3, take: 4 })).toEqual([3])
    expect(ids({ ...tied, skip: 4 })).toEqual([])
    // No row, whatever their order.
    expect(ids({ ...tied, skip: 2, take: 0 })).toEqual([])
  })
})

describe('conditions on relations', () => {
  const holders = [1, 2, 3].map((id) => ({ id }))
  const asked: (readonly CachedRow[])[] = []
  const testOf = (result: (row: CachedRow) => Truth, answer?: 'id_value') =>
    ({
      relations: [
        {
          truthsOf: async (rows: readonly CachedRow[]) => {
            asked.push(rows)
            return answer ?? rows.map(result)
          },
        },
      ],
      holds: () => true,
      truthOf: (_: CachedRow, [truth]: readonly Truth[]) => truth,
    }) as unknown as RowTest

  it('are decided for the rows of all lists at once, and unknown ones are not fulfilled', async () => {
    const test = testOf(({ id }) => (id === 2 ? undefined : id === 1))
    const selection = { ...allRows, test }
    expect(await selectEach([[holders[0]!, holders[1]!], [holders[2]!], [holders[0]!]], selection)).toEqual([
      [holders[0]],
      [],
      [holders[0]],
    ])
    expect(asked.splice(0)).toEqual([[...holders, holders[0]]])
    expect(await selectEach([[], []], selection)).toEqual([[], []])
    expect(asked).toEqual([])
  })
})

describe('rows of relations', () => {
  const authors = new Map([1, 2].map((id) => [id, { id, name: `author ${id}` }]))
  const posts = [
    { id: 10, authorId: 1 },
    { id: 11, authorId: 2 },
    { id: 12, authorId: 1 },
    { id: 13, authorId: null },
  ]
  const requested: (readonly unknown[])[] = []
  const keyOfId = idKeyOf(
    {
      get: () => Promise.reject(new Error('one by one')),
      getMany: async (ids) => {
        requested.push(ids)
        return ids.map((id) => authors.get(id as number) ?? null)
      },
    },
    { fields: [column('id')], names: new Set(), maxKeys: 9 },
  )
  const author = (change: Partial<RelatedRow> = {}): RelatedRow => ({
    ...rowPlan,
    form: itself,
    key: keyOfId,
    isCertain: true,
    from: ['authorId'],
    keyOf: (row) => row['authorId'],
    ...change,
  })
  const listed = (change: Partial<ListedRows> = {}): ListedRows => ({
    ...rowPlan,
    form: itself,
    list: {
      fields: [column('authorId')],
      lookup: {
        keyOf: ({ authorId }: CachedRow) => (authorId === 7 ? undefined : String(authorId)),
        through: undefined,
        findMany: async (keys: readonly CachedRow[]) => {
          requested.push(keys)
          return keys.map((key) => posts.filter((post) => post.authorId === key['authorId']))
        },
      },
    } as unknown as ListedRows['list'],
    isCount: false,
    from: ['id'],
    keyOf: ({ id }) => (id === null ? null : { authorId: id }),
    ...change,
  })
  const compose = (related: RelatedPlan, rows: readonly CachedRow[]) => {
    requested.length = 0
    return composed({ ...rowPlan, related: [related] }, rows)
  }
  const valuesOf = async (related: RelatedPlan, rows: readonly CachedRow[]) => {
    const results = await compose(related, rows)
    return typeof results === 'string' ? results : results.map((each) => (each as { value: unknown }).value)
  }

  it('are requested once for each key, and are of each result its own', async () => {
    const values = (await valuesOf(author(), posts)) as object[]
    expect(values).toEqual([authors.get(1), authors.get(2), authors.get(1), null])
    expect(requested).toEqual([[1, 2]])
    // Only a row that is another result as well is copied.
    expect([values[0] === authors.get(1), values[1] === authors.get(2), values[2] === values[0]]).toEqual([
      true,
      true,
      false,
    ])
    expect(await compose(author(), [])).toEqual([])
    expect(requested).toEqual([])
  })

  it('are null where there may be none, and otherwise do not belong together', async () => {
    const orphan = [{ id: 14, authorId: 3 }]
    expect(await valuesOf(author({ isCertain: false }), orphan)).toEqual([null])
    expect(await valuesOf(author(), orphan)).toBe('apart')
    expect(await valuesOf(author({ keyOf: () => undefined }), posts)).toBe('id_value')
    const other = { ...keyOfId, isOf: () => false }
    expect(await valuesOf(author({ key: other }), posts)).toBe('id_value')
  })

  it('are lists, each of its own key, or how many there are', async () => {
    const rows = [{ id: 1 }, { id: 2 }, { id: 1 }, { id: null }, { id: 5 }]
    const own = [[posts[0], posts[2]], [posts[1]], [posts[0], posts[2]], [], []]
    const values = (await valuesOf(listed(), rows)) as object[][]
    expect(values).toEqual(own)
    expect(requested).toEqual([[{ authorId: 1 }, { authorId: 2 }, { authorId: 5 }]])
    expect(values[0]![0]).not.toBe(values[2]![0])
    const counts = new Map([['posts', listed({ isCount: true })]])
    expect(await valuesOf({ counts }, rows)).toEqual(own.map(({ length }) => ({ posts: length })))
    expect(await valuesOf(listed(), [{ id: 7 }])).toBe('id_value')
    expect(await valuesOf({ counts }, [{ id: 7 }])).toBe('id_value')
  })

  it('are of a key of several fields, and of dates with the same time', async () => {
    const listedBy = (row: CachedRow) => {
      const lookup = {
        through: undefined,
        keyOf: ({ day, room }: CachedRow) => `${(day as Date).getTime()} ${room as number}`,
        findMany: async () => [[row]],
      }
      const fields = ['room', 'day'].map(column)
      const list = { fields, lookup } as unknown as ListedRows['list']
      return valuesOf(listed({ list, keyOf: () => ({ day: new Date(5), room: 1 }) }), [{ id: 1 }])
    }
    const slot = { day: new Date(5), room: 1 }
    expect(await listedBy(slot)).toEqual([[slot]])
    expect(await listedBy({ ...slot, day: new Date(6) })).toBe('id_value')
    expect(await valuesOf(listed({ keyOf: () => undefined }), posts)).toBe('id_value')
  })

  it('are one at most of a list by a unique key, unless it has another key', async () => {
    const one = (key: RelatedRow['key']): RelatedRows => {
      const { list: _, ...others } = listed()
      return { ...others, key, isCertain: false, keyOf: ({ authorId }) => authorId }
    }
    expect(await valuesOf(one(keyOfId), posts.slice(2))).toEqual([[authors.get(1)], []])
    expect(await valuesOf(one({ ...keyOfId, isOf: () => false }), posts)).toBe('id_value')
  })

  describe('of one row', () => {
    const [first, , third] = posts
    /** Whether the row was requested alone, and the answer. */
    const answer = async (...related: readonly ListedRows[]) => {
      const asked: string[] = []
      const ofOne = async (id: unknown) => ({ id: id === 9 ? 1 : id })
      const key = idKeyOf(
        {
          get: (id) => {
            asked.push('alone')
            return id === 8 ? Promise.resolve(null) : ofOne(id)
          },
          getMany: (ids) => Promise.all(ids.map(ofOne)),
        },
        keyOfId,
      )
      const plan: KeyPlan = { ...rowPlan, form: formOf(idOf, 'posts', 'others'), related, key, ids: [1] }
      const of = async (id: number) => [
        await answerOf({ ...plan, ids: [id] }, 'findUnique'),
        ...asked.splice(0),
      ]
      return { of, found: await of(1) }
    }
    const found = (posts: unknown) => [{ id: 1, posts }, 'alone']
    const odd = { holds: ({ id }: CachedRow) => id === 12, relations: [] } as unknown as RowTest

    it('are read by its key where that leads to them', async () => {
      const { found: whole, of } = await answer(listed())
      expect(whole).toEqual(found([first, third]))
      expect(await of(8)).toEqual([null, 'alone'])
      expect(await of(9)).toEqual(['id_value', 'alone'])
      const page = async (change: Partial<ListedRows>) => (await answer(listed(change))).found
      expect(await page({ selection: { ...allRows, test: odd } })).toEqual(found([third]))
      expect(await page({ form: formOf(idOf) })).toEqual(found([{ id: 10 }, { id: 12 }]))
      expect(await page({ keyOf: () => null })).toEqual(found([]))
      const unanswered = (reason: 'id_value' | 'paging') => [reason, 'alone']
      expect(await page({ keyOf: () => undefined })).toEqual(unanswered('id_value'))
      expect(await page({ keyOf: () => ({ authorId: '1' }) })).toEqual(found([]))
      expect(await page({ selection: { ...allRows, completeBelow: 2 } })).toEqual(unanswered('paging'))
      const { list } = listed()
      const lookup = { ...list.lookup, findMany: async () => [[posts[1]!]] }
      expect(await page({ list: { ...list, lookup } })).toEqual(unanswered('id_value'))
    })

    it('are requested at the same time as the row, unless a row did not exist of late', async () => {
      const asked: string[] = []
      const { list } = listed()
      const findMany = async (keys: readonly CachedRow[]) => {
        asked.push('list')
        return list.lookup.findMany(keys)
      }
      const related = [listed({ list: { ...list, lookup: { ...list.lookup, findMany } } })]
      const get = async (id: unknown) => {
        asked.push('row')
        return id === 8 ? null : { id }
      }
      const key = idKeyOf({ get, getMany: () => Promise.reject(new Error('several')) }, keyOfId)
      const answer = answeringOf(
        { ...rowPlan, form: formOf(idOf, 'posts'), related, key, ids: [] },
        'findUnique',
      )
      const askedFor = async (id: number) => {
        await answer(id)
        return asked.splice(0).join()
      }
      expect([await askedFor(1), await askedFor(8)]).toEqual(['list,row', 'list,row'])
      expect([await askedFor(8), await askedFor(1)]).toEqual(['row', 'row,list'])
      for (let i = 0; i < 31; i++) await answer(1)
      asked.length = 0
      expect(await askedFor(1)).toBe('list,row')
    })
  })

  it('are left to the database if one of a list has another key, unless it is found through a relation', async () => {
    const wrong = (through: string | undefined): ListedRows => {
      const { list } = listed()
      const lookup = { ...list.lookup, through, findMany: async () => [[posts[1]!]] }
      return listed({ list: { ...list, lookup } as never })
    }
    expect(await valuesOf(wrong(undefined), [{ id: 1 }])).toBe('id_value')
    expect(await valuesOf(wrong('authors'), [{ id: 1 }])).toEqual([[posts[1]]])
    expect(await valuesOf(listed({ selection: { ...allRows, completeBelow: 1 } }), [{ id: 1 }])).toBe(
      'paging',
    )
    const deep = listed({ related: [author({ keyOf: () => undefined })] })
    expect(await valuesOf(deep, [{ id: 1 }])).toBe('id_value')
  })
})
