import { noFields, Projection } from './projection.js'
import type { ReadableCache } from './readable-cache.js'

const cacheOf = (fields: readonly string[], decimals: readonly string[] = []): ReadableCache =>
  ({
    cache: { fields },
    fields: new Set(fields),
    decimals: new Set(decimals),
    copyDecimal: (value: object) => ({ ...value }),
  }) as unknown as ReadableCache

it('returns the row itself if its keys are those of the query, in order', () => {
  const project = new Projection(['id', 'name']).of(cacheOf(['id', 'name']))!
  const row = { id: 1, name: 'a' }
  expect(project(row)).toBe(row)
})

it.each([
  ['in another order', { name: 'a', id: 1 }],
  ['beside another key', { id: 1, name: 'a', other: 2 }],
])('returns the fields of a row that has them %s', (_, row) => {
  const result = new Projection(['id', 'name']).of(cacheOf(['id', 'name']))!(row)
  expect(Object.entries(result)).toEqual([
    ['id', 1],
    ['name', 'a'],
  ])
})

it('has undefined for a field that the row lacks', () => {
  const result = new Projection(['id', 'name']).of(cacheOf(['id', 'name']))!({ id: 1 })
  expect(Object.keys(result)).toEqual(['id', 'name'])
})

it('returns a part of the fields', () => {
  const row = { id: 1, name: 'a' }
  expect(new Projection(['name']).of(cacheOf(['id', 'name']))!(row)).toEqual({ name: 'a' })
  expect(row).toEqual({ id: 1, name: 'a' })
})

it('projects no row of a cache that lacks a field', () => {
  expect(new Projection(['id', 'other']).of(cacheOf(['id', 'name']))).toBeUndefined()
})

it('is made once for a cache', () => {
  const [projection, cache] = [new Projection(['id']), cacheOf(['id'])]
  expect(projection.of(cache)).toBe(projection.of(cache))
})

it('copies decimals, also those of lists, and leaves null and other values', () => {
  const [price, fee, tag] = [{ d: 1 }, { d: 2 }, { t: 1 }]
  const project = new Projection(['price', 'fees', 'none', 'tag']).of(
    cacheOf(['price', 'fees', 'none', 'tag', 'id'], ['price', 'fees', 'none']),
  )!
  const row = { id: 1, price, fees: [fee], none: null, tag }
  const result = project(row)
  expect(result).toEqual({ price, fees: [fee], none: null, tag })
  expect(result['price']).not.toBe(price)
  expect((result['fees'] as readonly unknown[])[0]).not.toBe(fee)
  expect(result['tag']).toBe(tag)
})

it('puts the rows of relations in the places of their names', () => {
  const projection = new Projection(['bids', 'id', 'author'], (name) => name !== 'id')
  expect(projection.fields).toEqual(['id'])
  expect(projection.relations).toEqual(['bids', 'author'])
  expect(Object.entries(projection.compose({ id: 1 }, [[], null]))).toEqual([
    ['bids', []],
    ['id', 1],
    ['author', null],
  ])
})

it('has no relations unless they are given', () => {
  const projection = new Projection(['id', 'name'])
  expect(projection.fields).toEqual(['id', 'name'])
  expect(projection.relations).toEqual([])
})

it('has no fields of rows that are only counted', () => {
  expect(noFields.fields).toEqual([])
})
