import type { CachedRow } from '../../read-caches.js'
import type { KeyPlan, ListPlan } from './plan-read.js'
import { answerOf } from './read-answer.js'
import { idKeyOf, readableLookupKey } from './readable-key.js'

/** A lookup by `code`, of a database that compares without case. */
function lookupOf(rows: readonly CachedRow[]) {
  const keyOf = ({ code }: CachedRow): string => String(code)
  const findMany = async (keys: readonly CachedRow[]): Promise<CachedRow[][]> =>
    keys.map((key) => rows.filter((row) => keyOf(row).toLowerCase() === keyOf(key).toLowerCase()))
  return { keyOf, findMany }
}

const project = ({ id }: CachedRow): CachedRow => ({ id })
const upper = { id: 1, code: 'A' }
const lower = { id: 2, code: 'a' }

function keyPlan(rows: readonly CachedRow[], ids: readonly unknown[], by: readonly string[]): KeyPlan {
  const fields = by.map((name) => ({ name, read: (value: unknown) => value, isOrdered: false }))
  const key = readableLookupKey(lookupOf(rows), { fields, names: new Set(), maxKeys: 10 })
  return { readable: undefined as never, key, ids, project, order: undefined, skip: 0, take: Infinity }
}

function listPlan(rows: readonly CachedRow[], code: string): ListPlan {
  const list = { lookup: lookupOf(rows) } as unknown as ListPlan['list']
  return { readable: undefined as never, list, listKey: { code }, project, isOrdered: true }
}

it('answers with the row of a unique key, or with null', async () => {
  expect(await answerOf(keyPlan([upper], ['A'], ['code']), 'findUnique')).toEqual({ id: 1 })
  expect(await answerOf(keyPlan([], ['A'], ['code']), 'findUnique')).toBeNull()
  expect(await answerOf(keyPlan([upper], ['b', 'A'], ['code']), 'findMany')).toEqual([{ id: 1 }])
  const compound = keyPlan([upper], [{ code: 'A', org: 1 }], ['code', 'org'])
  expect(await answerOf(compound, 'findFirst')).toEqual({ id: 1 })
})

it('leaves a row of another key to the database', async () => {
  expect(await answerOf(keyPlan([upper], ['a'], ['code']), 'findUnique')).toBeUndefined()
  // Both are the same row, which the database returns once.
  expect(await answerOf(keyPlan([upper], ['a', 'A'], ['code']), 'findMany')).toBeUndefined()
})

it('answers with the rows of a list, or with the first', async () => {
  expect(await answerOf(listPlan([upper, upper], 'A'), 'findMany')).toEqual([{ id: 1 }, { id: 1 }])
  expect(await answerOf(listPlan([upper], 'A'), 'findFirst')).toEqual({ id: 1 })
  expect(await answerOf(listPlan([], 'A'), 'findFirst')).toBeNull()
})

it('leaves a list with rows of another key to the database', async () => {
  expect(await answerOf(listPlan([upper, lower], 'A'), 'findMany')).toBeUndefined()
})

/** A plan for rows by their ids, of a cache that says how it was asked. */
function idPlan(ids: readonly unknown[], names: readonly string[], change: Partial<KeyPlan> = {}) {
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
  const fields = names.map((name) => ({ name, read: (value: unknown) => value, isOrdered: true }))
  const key = idKeyOf(cache, { fields, names: new Set(), maxKeys: 10 })
  const plan: KeyPlan = {
    ...keyPlan([], ids, ['id']),
    key,
    project: (row) => ({ ...row }),
    ...change,
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
  const descending: KeyPlan['order'] = (a, b) => (b['id'] as number) - (a['id'] as number)
  const page = async (change: Partial<KeyPlan>) => {
    const rows = await idPlan([2, 0, 1, 3], ['id'], { order: descending, ...change }).answer('findMany')
    return (rows as { id: number }[]).map(({ id }) => id)
  }
  expect(await page({ order: undefined })).toEqual([2, 1, 3])
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
  expect(await answerOf(rowOf({ org: 1, slug: 'A' }), 'findUnique')).toBeUndefined()
  expect(await answerOf(rowOf({ org: 2, slug: 'a' }), 'findUnique')).toBeUndefined()
  const single = idPlan(['a'], ['id']).plan
  const other = { ...single, key: { ...single.key, getMany: async () => [{ id: 'A' }] } }
  expect(await answerOf(other, 'findMany')).toBeUndefined()
})
