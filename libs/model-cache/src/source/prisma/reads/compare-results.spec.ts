import { Decimal } from '@prisma/client/runtime/client'
import { differingFields, differingInAny } from './compare-results.js'
import type { KeyPlan, ListPlan } from './read-plan.js'

const list = (isOrdered: boolean): { readonly plan: ListPlan } => ({
  plan: {
    selection: { isOrdered },
    projection: { relations: [] },
    list: {},
    readable: { id: { fields: [{ name: 'id' }] } },
  } as unknown as ListPlan,
})
const [one, other] = [
  { id: 1, name: 'same' },
  { id: 2, name: 'same' },
]

it('finds rows of a list that are in another order', () => {
  expect(differingFields(list(true), [one, other], [other, one])).toEqual(['id'])
  expect(differingFields(list(true), [one, other], [one, other])).toEqual([])
})

it('compares rows of a list as a set where the database may return them in any order', () => {
  expect(differingFields(list(false), [one, other], [other, one])).toEqual([])
  expect(differingFields(list(false), [one, other], [other, { ...one, name: 'new' }])).toEqual(['name'])
  expect(differingFields(list(false), [one, other], [other])).toEqual(['(row)'])
})

const byId = (isOrdered = false): { readonly plan: KeyPlan } => ({
  plan: { ...list(isOrdered).plan, ids: [] } as unknown as KeyPlan,
})

it('compares rows that were found by their ids in the order of the query, if it has one', () => {
  const ordered = byId(true)
  expect(differingFields(ordered, [one, other], [other, one])).toEqual(['id'])
  expect(differingFields(byId(), [one, other], [other, one])).toEqual([])
  expect(differingFields(byId(), [other, one], [one, other])).toEqual([])
})

it('compares rows with the same ids, wherever these stand', () => {
  const rows = (name: string) => [
    { name: 'b', id: 1 },
    { name, id: 2 },
  ]
  expect(differingFields(byId(), rows('a'), rows('c'))).toEqual(['name'])
})

it('compares rows with a part of their ids as a set, too', () => {
  const { plan } = byId()
  const id = { fields: [{ name: 'org' }, { name: 'id' }] }
  const compound = { plan: { ...plan, readable: { id } } as unknown as KeyPlan }
  const [a, b] = [
    { id: 1, name: 'a' },
    { id: 1, name: 'b' },
  ]
  expect(differingFields(compound, [a, b], [b, a])).toEqual([])
  const rows = [3, 1, 2].map((id) => ({ org: 1, id }))
  expect(differingFields(compound, rows, rows.toReversed())).toEqual([])
})

it('compares rows without their ids as a set, too', () => {
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  expect(differingFields(byId(), [a, b, c, a], [c, a, a, b])).toEqual([])
  expect(differingFields(byId(), [a, b], [b, c])).toEqual(['name'])
})

it('compares single rows, one of which may be missing', () => {
  expect(differingFields(byId(), one, { ...one })).toEqual([])
  expect(differingFields(byId(), one, { ...one, name: 'new' })).toEqual(['name'])
  expect(differingFields(byId(), null, null)).toEqual([])
  expect(differingFields(byId(), one, null)).toEqual(['(row)'])
  expect(differingFields(byId(), null, one)).toEqual(['(row)'])
  expect(differingFields(byId(), [one], null)).toEqual(['(row)'])
})

it('finds fields that one row lacks, and fields in another order', () => {
  expect(differingFields(byId(), one, { id: 1 })).toEqual(['name'])
  expect(differingFields(byId(), { id: 1 }, one)).toEqual(['name'])
  expect(differingFields(byId(), { id: 1, a: 1 }, { id: 1, b: 1 })).toEqual(['a', 'b'])
  expect(differingFields(byId(), { id: 1, a: 1 }, { a: 1, id: 1 })).toEqual(['(order)'])
  expect(differingFields(byId(), { id: 1, a: 1, b: 2 }, { id: 1, b: 2, a: 1 })).toEqual(['(order)'])
})

it('tells all values apart that Prisma returns', () => {
  const values = [
    1,
    '1',
    1n,
    true,
    null,
    0,
    -0,
    new Date(1),
    new Date(2),
    new Uint8Array([1]),
    new Uint8Array([1, 2]),
    new Decimal(1),
    new Decimal('1.5'),
    [1],
    ['1'],
    [1, 2],
    { 0: 1 },
    { 0: 1, 1: 2 },
    { a: 1 },
    { a: '1' },
    { a: 1, b: [] },
    { b: [], a: 1 },
  ]
  for (const [i, value] of values.entries()) {
    const same = values.filter((other) => differingFields(byId(), { value }, { value: other }).length === 0)
    expect(same).toEqual([values[i]])
  }
  const alike = (value: unknown, other: unknown) => differingFields(byId(), { value }, { value: other })
  expect(alike(new Date(1), new Date(1))).toEqual([])
  expect(alike(new Decimal('1.50'), new Decimal('1.5'))).toEqual([])
  expect(alike(Buffer.from([1, 2]), new Uint8Array([1, 2]))).toEqual([])
  expect(alike({ a: [{ b: 1n }] }, { a: [{ b: 1n }] })).toEqual([])
})

it('compares numbers of rows', () => {
  expect(differingFields(byId(), 2, 2)).toEqual([])
  expect(differingFields(byId(), 2, 3)).toEqual(['(count)'])
  expect(differingFields(byId(), 2, null)).toEqual(['(count)'])
  expect(differingFields(byId(), null, 2)).toEqual(['(count)'])
  const related = { projection: { relations: ['_count'] }, related: [{ counts: new Map() }] }
  const plan = { ...byId().plan, ...related } as unknown as KeyPlan
  expect(differingFields({ plan }, { id: 1, _count: { posts: 1 } }, { id: 1, _count: { posts: 2 } })).toEqual(
    ['_count'],
  )
})

it('compares rows of relations as a set where the database may return them in any order', () => {
  const withPosts = (isOrdered: boolean): { readonly plan: KeyPlan } => ({
    plan: {
      ...byId().plan,
      projection: { relations: ['posts'] },
      related: [list(isOrdered).plan],
    } as unknown as KeyPlan,
  })
  const [row, turned] = [
    { id: 1, posts: [one, other] },
    { id: 1, posts: [other, one] },
  ]
  expect(differingFields(withPosts(false), row, turned)).toEqual([])
  expect(differingFields(withPosts(true), [row], [turned])).toEqual(['posts'])
  expect(differingFields(withPosts(true), null, null)).toEqual([])
  expect(differingFields(withPosts(true), row, null)).toEqual(['(row)'])
})

describe('results of which nothing is known', () => {
  const row = { id: 1, tags: [{ name: 'a' }, { name: 'b' }], at: new Date(5) }
  const other = { id: 2, tags: [], at: null }
  it.each<[name: string, one: unknown, other: unknown, fields: readonly string[]]>([
    ['equal rows', [row, other], [{ ...row }, other], []],
    ['rows in another order', [row, other], [other, row], []],
    ['related rows in another order', row, { ...row, tags: row.tags.toReversed() }, []],
    ['a value', [row, other], [{ ...row, at: new Date(6) }, other], ['at']],
    ['a related row', row, { ...row, tags: [{ name: 'a' }] }, ['tags']],
    ['a class', row, { ...row, id: 1n }, ['id']],
    ['a row more', [row], [row, other], ['(row)']],
    ['no row', null, row, ['(row)']],
    ['a count', 3, 4, ['(count)']],
    ['the order of keys', { id: 1, at: 1 }, { at: 1, id: 1 }, ['(order)']],
    ['a field more', row, { ...row, more: 1 }, ['more']],
  ])('are compared: %s', (_, one, another, fields) => {
    expect(differingInAny(one, another)).toEqual(fields)
  })
})
