import { type } from 'arktype'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from './definition.js'

const cacheOf = (schema: unknown, rows: object[]) =>
  createTestCache(
    defineModelCache<never>()({ model: 'Lot', schema: schema as never, id: 'id' as never, ttl: '1m' }),
    rows as never[],
  )

describe('a model whose rows are one of several objects', () => {
  const image = type({ id: 'string', kind: "'image'", url: 'string' })

  it('takes the id that all of them have', async () => {
    const rows = [
      { id: 'a', kind: 'image', url: 'x' },
      { id: 'b', kind: 'video', at: new Date(1) },
    ]
    const { cache, loads } = cacheOf(image.or({ id: 'string', kind: "'video'", at: 'Date' }), rows)
    for (let round = 0; round < 2; round++) {
      expect(await cache.getMany(['a', 'b'] as never)).toEqual(rows)
      await cache.close()
    }
    expect(loads).toEqual([['a', 'b']])
  })

  it('requires an id of one kind in all of them', () => {
    const without = image.or({ kind: "'video'", at: 'Date' })
    const another = image.or({ id: 'number', kind: "'video'", at: 'Date' })
    expect(() => cacheOf(without, [])).toThrow('"id" is not a field of the schema, which has at, kind')
    expect(() => cacheOf(another, [])).toThrow(
      '"id" is of another kind in each object of the union; an id is of one kind in all of them.',
    )
  })
})

it('refuses rows that are no objects', () => {
  expect(() => cacheOf(type('string'), [])).toThrow('needs a schema that is an object.')
})

it('requires constants of one type', async () => {
  expect(() => cacheOf(type({ id: "1 | 'a'" }), [])).toThrow(
    /"id" has constants of several types, (number and string|string and number); an id is of one type\.$/,
  )
  const { cache } = cacheOf(type({ id: "'a' | 'b'" }), [{ id: 'b' }])
  expect(await cache.get('b' as never)).toEqual({ id: 'b' })
  await cache.close()
})
