import type { CachedRow } from '../../read-caches.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { orderText, rowOrderOf, tiesOf, type RowOrder } from './row-order.js'

const factsOf = (provider: string) =>
  describeSchemaText(`
datasource db { provider = "${provider}" }
model Post {
  id    Int     @id
  rank  Int
  count Int?
  hash  Bytes?
  title String?
}`)
const fieldsOf = (provider: string) => {
  const facts = factsOf(provider)
  return (name: string) => facts.models.get('Post')!.scalars.get(name)
}
const orderOf = (
  orderBy: unknown,
  { provider = 'postgresql', most = 10 } = {},
): RowOrder | string | undefined =>
  rowOrderOf(orderBy, { fieldOf: fieldsOf(provider), uniqueKeys: [['id']], most })

const sorted = (orderBy: unknown, provider?: string): readonly unknown[] | string | undefined => {
  const order = orderOf(orderBy, { ...(provider !== undefined && { provider }) })
  if (typeof order !== 'object') return order
  const rows: CachedRow[] = [
    { id: 1, rank: 2, count: null },
    { id: 2, rank: 1, count: 7 },
    { id: 3, rank: 2, count: 5 },
    { id: 4, rank: 1, count: null },
  ]
  return rows.toSorted(order.compare).map(({ id }) => id)
}

describe('the order of rows', () => {
  it.each<[unknown, readonly number[]]>([
    [{ id: 'desc' }, [4, 3, 2, 1]],
    [{ rank: 'asc' }, [2, 4, 1, 3]],
    [{ rank: 'desc' }, [1, 3, 2, 4]],
    [
      [{ rank: 'asc' }, { id: 'desc' }],
      [4, 2, 3, 1],
    ],
    [{ count: 'asc' }, [3, 2, 1, 4]],
    [{ count: 'desc' }, [1, 4, 2, 3]],
    [
      [{ count: 'asc' }, { id: 'desc' }],
      [3, 2, 4, 1],
    ],
    [{ count: { sort: 'asc' } }, [3, 2, 1, 4]],
    [{ count: { sort: 'desc' } }, [1, 4, 2, 3]],
    [{ count: { sort: 'asc', nulls: 'first' } }, [1, 4, 3, 2]],
    [{ count: { sort: 'asc', nulls: 'last' } }, [3, 2, 1, 4]],
    [{ count: { sort: 'desc', nulls: 'first' } }, [1, 4, 2, 3]],
    [{ count: { sort: 'desc', nulls: 'last' } }, [2, 3, 1, 4]],
  ])('%j of PostgreSQL', (orderBy, ids) => {
    expect(sorted(orderBy)).toEqual(ids)
  })

  it.each(['mysql', 'sqlite'])(
    'has null first in an ascending order of %s, and last in a descending one',
    (provider) => {
      expect(sorted({ count: 'asc' }, provider)).toEqual([1, 4, 3, 2])
      expect(sorted({ count: 'desc' }, provider)).toEqual([2, 3, 1, 4])
    },
  )

  it('has null last in an ascending order of PostgreSQL by its other name', () => {
    expect(sorted({ count: 'asc' }, 'postgres')).toEqual([3, 2, 1, 4])
  })

  it.each(['sqlserver', 'cockroachdb'])(
    'is unknown where null stands in a place that only the database knows: %s',
    (provider) => {
      for (const sort of ['asc', 'desc']) {
        expect(sorted({ count: sort }, provider)).toBe('order')
        expect(sorted({ count: { sort } }, provider)).toBe('order')
      }
      expect(sorted({ count: { sort: 'asc', nulls: 'first' } }, provider)).toEqual([1, 4, 3, 2])
      expect(sorted({ rank: 'asc' }, provider)).toEqual([2, 4, 1, 3])
    },
  )

  it('is total if it names all fields of the id', () => {
    expect(orderOf({ id: 'asc' })).toMatchObject({ isTotal: true })
    expect(orderOf({ rank: 'asc' })).toMatchObject({ isTotal: false })
  })

  it.each([
    ['text, which a collation orders', { title: 'asc' }],
    ['bytes', { hash: 'asc' }],
    ['an unknown field', { missing: 'asc' }],
    ['several fields in one object', { id: 'asc', rank: 'asc' }],
    ['an unknown direction', { id: 'up' }],
    ['the longer form for a field that is never null', { id: { sort: 'asc' } }],
    ['what is no object', 'id'],
  ])('is left to the database for %s', (_, orderBy) => {
    expect(orderOf(orderBy)).toBe('order')
  })

  it('is none for no terms, and for at most one row', () => {
    expect(orderOf(undefined)).toBeUndefined()
    expect(orderOf([])).toBeUndefined()
    expect(orderOf({ id: 'asc' }, { most: 1 })).toBeUndefined()
    expect(orderOf({ title: 'asc' }, { most: 1 })).toBeUndefined()
  })
})

describe('ties', () => {
  const isTie = (orderBy: unknown, one: CachedRow, other: CachedRow): boolean => {
    const ties = tiesOf(orderBy, fieldsOf('postgresql'))
    return ties === 'always' || ties(one, other)
  }

  it.each<[string, unknown, CachedRow, CachedRow, boolean]>([
    ['equal values', { rank: 'asc' }, { rank: 1 }, { rank: 1 }, true],
    ['other values', { rank: 'asc' }, { rank: 1 }, { rank: 2 }, false],
    [
      'equal values of some fields',
      [{ rank: 'asc' }, { id: 'asc' }],
      { rank: 1, id: 1 },
      { rank: 1, id: 2 },
      false,
    ],
    ['two nulls', { hash: 'asc' }, { hash: null }, { hash: null }, true],
    ['null and a value', { hash: 'asc' }, { hash: null }, { hash: new Uint8Array([1]) }, false],
    ['a value and null', { hash: 'asc' }, { hash: new Uint8Array([1]) }, { hash: null }, false],
    ['equal bytes', { hash: 'asc' }, { hash: new Uint8Array([1]) }, { hash: new Uint8Array([1]) }, true],
    ['a relation and a field', [{ author: { name: 'asc' } }, { id: 'asc' }], { id: 1 }, { id: 2 }, false],
    ['no order', undefined, { id: 1 }, { id: 2 }, true],
  ])('%s', (_, orderBy, one, other, isEqual) => {
    expect(isTie(orderBy, one, other)).toBe(isEqual)
  })
})

describe('the text of an order', () => {
  it.each<[unknown, string | undefined]>([
    [undefined, ''],
    [[], ''],
    [{}, ''],
    [{ id: 'asc' }, '"id" asc,'],
    [[{ id: 'asc' }], '"id" asc,'],
    [[{ rank: 'desc' }, { id: 'asc' }], '"rank" desc,"id" asc,'],
    [{ count: { sort: 'asc' } }, '"count" {asc},'],
    [{ count: { sort: 'desc' } }, '"count" {desc},'],
    [{ count: { sort: 'asc', nulls: 'first' } }, '"count" {asc nulls first},'],
    [{ count: { sort: 'desc', nulls: 'last' } }, '"count" {desc nulls last},'],
    [{ 'a" asc,"b': 'asc' }, String.raw`"a\" asc,\"b" asc,`],
    [{ count: { sort: 'asc', nulls: 'other' } }, undefined],
    [{ count: { sort: 'asc', nulls: undefined } }, undefined],
    [{ count: { sort: 'up' } }, undefined],
    [{ count: { nulls: 'first' } }, undefined],
    [{ count: { sort: 'asc', other: 1 } }, undefined],
    [{ count: 'up' }, undefined],
    [{ count: null }, undefined],
    [{ id: 'asc', rank: 'asc' }, undefined],
    [null, undefined],
    ['id', undefined],
    [[{ id: 'asc' }, 'rank'], undefined],
  ])('of %j is %j', (orderBy, text) => {
    expect(orderText(orderBy)).toBe(text)
  })
})
