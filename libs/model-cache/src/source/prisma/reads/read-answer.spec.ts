import type { CachedRow } from '../../read-caches.js'
import type { KeyPlan, ListPlan } from './plan-read.js'
import { answerOf } from './read-answer.js'
import { lookupKeyOf } from './readable-key.js'

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
  const key = lookupKeyOf(lookupOf(rows), { fields, names: new Set() })
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
