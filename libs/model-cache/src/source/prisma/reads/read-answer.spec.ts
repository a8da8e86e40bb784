import type { CachedRow } from '../../read-caches.js'
import type { KeyPlan, ListPlan, RowPlan } from './read-plan.js'
import { Projection } from './projection.js'
import { answerOf, Unanswered } from './read-answer.js'
import { idKeyOf, readableLookupKey } from './readable-key.js'
import { allRows, type RowSelection } from './row-selection.js'

/** A lookup by `code`, of a database that compares without case. */
function lookupOf(rows: readonly CachedRow[]) {
  const keyOf = ({ code }: CachedRow): string => String(code)
  const findMany = async (keys: readonly CachedRow[]): Promise<CachedRow[][]> =>
    keys.map((key) => rows.filter((row) => keyOf(row).toLowerCase() === keyOf(key).toLowerCase()))
  return { keyOf, findMany }
}

const project = ({ id }: CachedRow): CachedRow => ({ id })
const rowPlan: RowPlan = {
  readable: undefined as never,
  selection: allRows,
  project,
  projection: new Projection(['id']),
  related: [],
}
const upper = { id: 1, code: 'A' }
const lower = { id: 2, code: 'a' }

function keyPlan(rows: readonly CachedRow[], ids: readonly unknown[], by: readonly string[]): KeyPlan {
  const fields = by.map((name) => ({ name, read: (value: unknown) => value, takesLists: true }))
  const key = readableLookupKey(lookupOf(rows), { fields, names: new Set(), maxKeys: 10 })
  return { ...rowPlan, key, ids }
}

function listPlan(rows: readonly CachedRow[], code: string): ListPlan {
  const list = { lookup: lookupOf(rows) } as unknown as ListPlan['list']
  return { ...rowPlan, list, listKeys: [{ code }] }
}

it('answers with the row of a unique key, or with null', async () => {
  expect(await answerOf(keyPlan([upper], ['A'], ['code']), 'findUnique')).toEqual({ id: 1 })
  expect(await answerOf(keyPlan([], ['A'], ['code']), 'findUnique')).toBeNull()
  expect(await answerOf(keyPlan([upper], ['b', 'A'], ['code']), 'findMany')).toEqual([{ id: 1 }])
  const compound = keyPlan([upper], [{ code: 'A', org: 1 }], ['code', 'org'])
  expect(await answerOf(compound, 'findFirst')).toEqual({ id: 1 })
})

it('leaves a row of another key to the database', async () => {
  expect(await answerOf(keyPlan([upper], ['a'], ['code']), 'findUnique')).toEqual(new Unanswered('id_value'))
  // Both are the same row, which the database returns once.
  expect(await answerOf(keyPlan([upper], ['a', 'A'], ['code']), 'findMany')).toEqual(
    new Unanswered('id_value'),
  )
})

it('answers with the rows of a list, or with the first', async () => {
  expect(await answerOf(listPlan([upper, upper], 'A'), 'findMany')).toEqual([{ id: 1 }, { id: 1 }])
  expect(await answerOf(listPlan([upper], 'A'), 'findFirst')).toEqual({ id: 1 })
  expect(await answerOf(listPlan([], 'A'), 'findFirst')).toBeNull()
})

it('leaves a list with rows of another key to the database', async () => {
  expect(await answerOf(listPlan([upper, lower], 'A'), 'findMany')).toEqual(new Unanswered('id_value'))
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
  const fields = names.map((name) => ({ name, read: (value: unknown) => value, takesLists: true }))
  const key = idKeyOf(cache, { fields, names: new Set(), maxKeys: 10 })
  const plan: KeyPlan = {
    ...keyPlan([], ids, ['id']),
    key,
    project: (row) => ({ ...row }),
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

it('gives the page of the rows that exist, in the order of the query', async () => {
  const descending: RowSelection['compare'] = (a, b) => (b['id'] as number) - (a['id'] as number)
  const page = async (change: Partial<RowSelection>) => {
    const rows = await idPlan([2, 0, 1, 3], ['id'], { compare: descending, ...change }).answer('findMany')
    return (rows as { id: number }[]).map(({ id }) => id)
  }
  expect(await page({ compare: undefined })).toEqual([2, 1, 3])
  expect(await page({})).toEqual([3, 2, 1])
  expect(await page({ take: 2 })).toEqual([3, 2])
  expect(await page({ take: 3 })).toEqual([3, 2, 1])
  expect(await page({ skip: 1 })).toEqual([2, 1])
  expect(await page({ skip: 1, take: 1 })).toEqual([2])
  expect(await page({ skip: 1, take: 5 })).toEqual([2, 1])
  expect(await page({ take: 0 })).toEqual([])
})

it('leaves a row with another id to the database', async () => {
  const key = { org: 1, slug: 'a' }
  const { plan } = idPlan([key], ['org', 'slug'])
  const rowOf = (row: CachedRow) => ({ ...plan, key: { ...plan.key, get: async () => row } })
  expect(await answerOf(rowOf({ ...key, title: 'A' }), 'findUnique')).toEqual({ ...key, title: 'A' })
  expect(await answerOf(rowOf({ org: 1, slug: 'A' }), 'findUnique')).toEqual(new Unanswered('id_value'))
  expect(await answerOf(rowOf({ org: 2, slug: 'a' }), 'findUnique')).toEqual(new Unanswered('id_value'))
  const single = idPlan(['a'], ['id']).plan
  const other = { ...single, key: { ...single.key, getMany: async () => [{ id: 'A' }] } }
  expect(await answerOf(other, 'findMany')).toEqual(new Unanswered('id_value'))
})
