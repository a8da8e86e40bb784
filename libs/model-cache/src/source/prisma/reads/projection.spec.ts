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
  const { of } = new Projection(['id', 'name']).of(cacheOf(['id', 'name']))!
  const row = { id: 1, name: 'a' }
  expect(of(row, true)).toBe(row)
})

it('copies a row that others have: its dates, bytes, lists and JSON', () => {
  const names = ['at', 'bytes', 'tags', 'json', 'name', 'none']
  const { of, withRelated } = new Projection(names).of(cacheOf(names))!
  const row = {
    at: new Date(5),
    bytes: new Uint8Array([1]),
    tags: ['a'],
    json: { inner: { deep: [1] } },
    name: 'a',
    none: null,
  }
  const frozen = Object.freeze({ ...row, json: Object.freeze(row.json), tags: Object.freeze(row.tags) })
  for (const copy of [of(frozen, false), withRelated(frozen, false, [], 0)]) {
    expect(copy).toEqual(row)
    for (const name of names.slice(0, 4)) expect(copy[name]).not.toBe(row[name as 'at'])
    ;(copy['json'] as typeof row.json).inner.deep.push(2)
    expect(row.json.inner.deep).toEqual([1])
  }
  const own = withRelated(row, true, [], 0)
  expect(own['json']).toBe(row.json)
})

it.each([
  ['in another order', { name: 'a', id: 1 }],
  ['beside another key', { id: 1, name: 'a', other: 2 }],
])('returns the fields of a row that has them %s', (_, row) => {
  const result = new Projection(['id', 'name']).of(cacheOf(['id', 'name']))!.of(row, true)
  expect(Object.entries(result)).toEqual([
    ['id', 1],
    ['name', 'a'],
  ])
})

it('has undefined for a field that the row lacks', () => {
  const result = new Projection(['id', 'name']).of(cacheOf(['id', 'name']))!.of({ id: 1 }, true)
  expect(Object.keys(result)).toEqual(['id', 'name'])
})

it('returns a part of the fields', () => {
  const row = { id: 1, name: 'a' }
  expect(new Projection(['name']).of(cacheOf(['id', 'name']))!.of(row, true)).toEqual({ name: 'a' })
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
  const { of } = new Projection(['price', 'fees', 'none', 'tag']).of(
    cacheOf(['price', 'fees', 'none', 'tag', 'id'], ['price', 'fees', 'none']),
  )!
  const row = { id: 1, price, fees: [fee], none: null, tag }
  const result = of(row, true)
  expect(result).toEqual({ price, fees: [fee], none: null, tag })
  expect(result['price']).not.toBe(price)
  expect((result['fees'] as readonly unknown[])[0]).not.toBe(fee)
  expect(result['tag']).toBe(tag)
})

it('returns the row itself, with decimals that nobody else has', () => {
  const price = { d: 1 }
  const { of } = new Projection(['id', 'price', 'fee']).of(cacheOf(['id', 'price', 'fee'], ['price', 'fee']))!
  const row = { id: 1, price, fee: null }
  expect(of(row, true)).toBe(row)
  expect(row).toEqual({ id: 1, price, fee: null })
  expect(row.price).not.toBe(price)
  expect(of(Object.freeze({ id: 1, price, fee: null }), false)).toEqual(row)
})

it('puts the rows of relations in the places of their names', () => {
  const projection = new Projection(['bids', 'id', 'author'], (name) => name !== 'id')
  expect(projection.fields).toEqual(['id'])
  expect(projection.relations).toEqual(['bids', 'author'])
  const { withRelated } = projection.of(cacheOf(['id']))!
  const bids = [['a'], ['b']]
  expect(Object.entries(withRelated({ id: 1 }, true, [bids, [null, { id: 2 }]], 1))).toEqual([
    ['bids', ['b']],
    ['id', 1],
    ['author', { id: 2 }],
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
