import type { BoundLookup } from '../policy/lookup-options.js'
import { answeringLookupOf } from './answering-cache.js'

const row = Object.freeze({ id: 1, at: new Date(5) })

function described(bound: Partial<BoundLookup>) {
  const asked: unknown[] = []
  const lookup = {
    findMany: async (keys: readonly unknown[]) => {
      asked.push(...keys)
      return keys.map(() => [row])
    },
  }
  const key = [
    { name: 'org', kind: 'number', folds: false },
    { name: 'email', kind: 'string', folds: true },
  ] as const
  const description = { name: 'key', fingerprint: '', key: key.slice(0, bound.by?.length || 1), watched: [] }
  const full = { by: ['org'], isCompound: false, description, where: {}, orderBy: [], ...bound }
  const answering = answeringLookupOf(full as unknown as BoundLookup, lookup)
  return { answering, asked }
}

it('asks for a key as the lookup takes it', async () => {
  const single = described({})
  await single.answering.findMany([{ org: 1 }, { org: 2 }])
  expect(single.asked).toEqual([1, 2])
  const list = described({ isCompound: true })
  await list.answering.findMany([{ org: 1 }])
  expect(list.asked).toEqual([{ org: 1 }])
})

it('compares keys as the lookup does', () => {
  const { answering } = described({ by: ['org', 'email'], isCompound: true })
  expect(answering.by).toEqual(['org', 'email'])
  for (const email of ['A', 'a']) expect(answering.keyOf({ id: 2, org: 1, email })).toBe('1:a')
  expect(answering.keyOf({ org: 1, email: 'ä' })).toBeUndefined()
})

it('gives the rows of the lookup', async () => {
  const [[given]] = (await described({}).answering.findMany([{ org: 1 }])) as [[typeof row]]
  expect(given).toBe(row)
})

it('says through which relation the key of a list is found', () => {
  expect(described({ through: 'tags', by: [] }).answering).toMatchObject({ through: 'tags', by: ['org'] })
  expect(described({}).answering).toMatchObject({ through: undefined })
})
