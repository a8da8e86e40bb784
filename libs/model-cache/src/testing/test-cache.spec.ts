import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { defineModelCache } from '../cache/policy/definition.js'
import { modelCaches } from '../definitions/model-caches.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import { createTestCache, rowFinder } from './test-cache.js'

const facts = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Lot {
  id      Int       @id
  house   String    @db.Citext
  place   Int
  code    String?   @unique @db.Uuid
  price   Decimal
  endsAt  DateTime?
  photo   Bytes?
  tags    Tag[]
  @@unique([house, place])
}
model Tag {
  name String @id
  lots Lot[]
}
`)

interface Lot {
  id: number
  house: string
  place: number
  code: string | null
  price: Decimal
  endsAt: Date | null
  photo: Uint8Array<ArrayBuffer> | null
}

const code = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'
const lot = (id: number, fields: Partial<Lot> = {}): Lot => ({
  id,
  house: 'a',
  place: id,
  code: null,
  price: new Decimal(id),
  endsAt: null,
  photo: null,
  ...fields,
})

// eslint-disable-next-line typescript/no-explicit-any -- without a generated client
const define = modelCaches<any>().defineModelCache as (model: string, options: object) => any
const createLots = (options: object, rows: Lot[]) =>
  createTestCache<Lot, number, { unique: Record<string, unknown>; lists: Record<string, unknown> }>(
    define('Lot', { ttl: '1m', ...options }),
    rows,
    { facts },
  )
const listed = async (list: object, rows: Lot[], key: unknown): Promise<number[]> => {
  const { cache } = createLots({ lists: { some: list } }, rows)
  return (await cache.list('some', key)).map(({ id }) => id)
}

const numbers = defineModelCache<{ id: number; of: number }>()({
  model: 'Number',
  schema: type({ id: 'number', of: 'number' }),
  id: 'id',
  ttl: '1m',
  lists: { of: { by: 'of' } },
})

/** Its fields are in the order of their columns, in which rows of a source are not copied. */
const visits = defineModelCache<{ at: Date; by: string; id: Date }>()({
  model: 'Visit',
  schema: type({ at: 'Date', by: 'string', id: 'Date' }),
  // Only a derived definition says by its type that an id may be a date.
  id: 'id' as never,
  ttl: '1m',
  rows: 'shared',
  lists: { by: { by: 'by' } },
})

describe('a test cache', () => {
  it('finds rows by dates, to the millisecond', async () => {
    const rows = [5, 6].map((ms) => ({ at: new Date(0), by: 'a', id: new Date(ms) }))
    const { cache } = createTestCache(visits, rows)
    const ids = [6, 7].map((ms) => new Date(ms) as never)
    expect(await cache.getMany(ids)).toEqual([rows[1], null])
  })

  it('finds rows of a class, by their ids', async () => {
    class OfClass {
      readonly id: number
      readonly of = 1
      constructor(id: number) {
        this.id = id
      }
    }
    const { cache } = createTestCache(numbers, [new OfClass(1), new OfClass(2)])
    expect(await cache.getMany([2, 3])).toEqual([new OfClass(2), null])
  })

  it('neither freezes the given rows nor lets readers change them', async () => {
    const { cache, rows } = createTestCache(visits, [{ at: new Date(0), by: 'a', id: new Date(5) }])
    const id = new Date(5) as never
    await Promise.all([cache.get(id), cache.get(id)])
    const [listed] = await cache.list('by', 'a')
    rows[0]!.at.setTime(1)
    expect([listed!.at, Object.isFrozen(rows[0])]).toEqual([new Date(0), false])
  })
})

describe('a test cache with lookups', () => {
  it('finds rows by unique keys, once', async () => {
    const { cache, finds, loads } = createLots({ unique: { place: ['house', 'place'], code: 'code' } }, [
      lot(1),
      lot(2, { code }),
    ])
    expect(await cache.getBy('place', { house: 'a', place: 2 })).toMatchObject({ id: 2 })
    expect(await cache.getBy('place', { house: 'a', place: 3 })).toBeNull()
    expect(await cache.getBy('code', code.toUpperCase())).toMatchObject({ id: 2 })
    expect(finds).toHaveLength(3)
    await cache.getBy('place', { house: 'A', place: 2 })
    await cache.getBy('code', code)
    expect([finds.length, loads]).toEqual([3, []])
  })

  it('sees rows that are changed and invalidated', async () => {
    const { cache, rows } = createLots({ lists: { ofHouse: { by: 'house' } } }, [lot(1), lot(2)])
    expect(await cache.list('ofHouse', 'a')).toHaveLength(2)
    rows.push(lot(3))
    expect(await cache.list('ofHouse', 'a')).toHaveLength(2)
    await cache.invalidateBy('ofHouse', 'a')
    expect(await cache.list('ofHouse', 'a')).toHaveLength(3)
  })

  it('reads several lists with one query', async () => {
    const { cache, finds } = createLots({ lists: { of: { by: ['house', 'place'] } } }, [
      lot(1, { place: 5 }),
      lot(2, { place: 6 }),
    ])
    const keys = [5, 6, 7].map((place) => ({ house: 'a', place }))
    const lists = await cache.listMany('of', keys)
    expect(lists.map((rows) => rows.map(({ id }) => id))).toEqual([[1], [2], []])
    expect(finds).toHaveLength(1)
  })

  it('compares values as PostgreSQL does', async () => {
    const rows = [
      lot(1, {
        house: 'Straße',
        price: new Decimal('1.50'),
        endsAt: new Date(5),
        photo: new Uint8Array([1]),
      }),
      lot(2, { house: 'HOUSE', price: new Decimal('1.5'), endsAt: new Date(5) }),
      lot(3, { house: 'house' }),
      lot(4, { house: 'Größe' }),
    ]
    expect(await listed({ by: 'price' }, rows, new Decimal('1.500'))).toEqual([1, 2])
    expect(await listed({ by: 'endsAt' }, rows, new Date(5))).toEqual([1, 2])
    expect(await listed({ by: 'photo' }, rows, Buffer.from([1]))).toEqual([1])
    expect(await listed({ by: 'house' }, rows, 'House')).toEqual([2, 3])
    expect(await listed({ by: 'house' }, rows, 'Straße')).toEqual([1])
  })

  it.each([
    [{ code: null }, [1, 3]],
    [{ code: { not: null } }, [2]],
    [{ place: 3 }, [3]],
    [{ place: { in: [1, 3] }, endsAt: null }, [3]],
    [{ endsAt: { in: [new Date(5), new Date(7)] } }, [1]],
  ])('evaluates the conditions %j', async (where, ids) => {
    const rows = [lot(1, { endsAt: new Date(5) }), lot(2, { code }), lot(3)]
    expect(await listed({ by: 'house', where }, rows, 'a')).toEqual(ids)
  })

  it.each([
    [{ place: 'desc' }, [4, 3, 2, 1]],
    [{ price: 'desc' }, [3, 4, 2, 1]],
    [{ endsAt: 'asc' }, [3, 1, 2, 4]],
    [{ endsAt: 'desc' }, [2, 4, 1, 3]],
    [{ endsAt: { sort: 'asc', nulls: 'first' } }, [2, 4, 3, 1]],
    [{ endsAt: { sort: 'desc', nulls: 'last' } }, [1, 3, 2, 4]],
    [
      [{ endsAt: 'asc' }, { place: 'desc' }],
      [3, 1, 4, 2],
    ],
    [{ photo: 'asc' }, [2, 1, 3, 4]],
  ])('sorts by %j, then by the id', async (orderBy, ids) => {
    const rows = [
      lot(4, { price: new Decimal('9.5') }),
      lot(1, { endsAt: new Date(7), photo: new Uint8Array([2]) }),
      lot(3, { endsAt: new Date(5), price: new Decimal('10') }),
      lot(2, { photo: new Uint8Array([1, 9]) }),
    ]
    expect(await listed({ by: 'house', orderBy }, rows, 'a')).toEqual(ids)
    expect(await listed({ by: 'house', orderBy, limit: 2 }, rows, 'a')).toEqual(ids.slice(0, 2))
  })

  it('sorts by one field after the other, and tells equal values', () => {
    const find = rowFinder([])
    const at = (id: number, fields: Partial<Lot>) => lot(id, { endsAt: new Date(5), place: 0, ...fields })
    const rows = [at(1, { place: 2 }), at(2, { place: 1 }), at(3, { endsAt: new Date(4), place: 9 })]
    const ids = (orderBy: object[]) => find(rows, { where: {}, orderBy } as never).map(({ id }) => id)
    expect(ids([{ endsAt: 'asc' }, { place: 'asc' }])).toEqual([3, 2, 1])
    expect(ids([{ endsAt: 'desc' }, { place: 'asc' }])).toEqual([2, 1, 3])
    expect(ids([{ endsAt: 'asc' }, { place: 'desc' }])).toEqual([3, 1, 2])
    const photos = [100, 9, 10].map((byte, i) => lot(i, { photo: Uint8Array.of(byte) }))
    const byPhoto = find(photos, { where: {}, orderBy: [{ photo: 'asc' }] } as never)
    expect(byPhoto.map(({ id }) => id)).toEqual([1, 2, 0])
  })

  it('compares the fields of keys and conditions, and not those of relations', () => {
    const field = { name: 'code', kind: 'string', folds: false }
    const finder = (condition: object[], key: object[]) =>
      rowFinder([{ conditions: condition, description: { through: 'tags', key } } as never])
    const where = { code: 'x' }
    expect(() => finder([], [field])([lot(1)], { where, orderBy: [] })).toThrow('has no rows of "code"')
    const find = finder([{ name: 'code', is: 'one of', field, values: ['x'] }], [])
    const found = find([lot(1), lot(2, { code: 'x' })], { where, orderBy: [] })
    expect(found.map(({ id }) => id)).toEqual([2])
    // No row has such a value, also not one that has none.
    expect(find([lot(1)], { where: { code: 5 }, orderBy: [] })).toEqual([])
  })

  it('says that it has no rows of relations', () => {
    const find = rowFinder([])
    expect(() => find([lot(1)], { where: { tags: { some: { name: 'x' } } }, orderBy: [] })).toThrow(
      'createTestCache has no rows of "tags", which a relation connects; give a `source`.',
    )
  })

  it('works without a Prisma schema', async () => {
    const { cache, finds } = createTestCache(numbers, [
      { id: 1, of: 5 },
      { id: 2, of: 5 },
    ])
    const rows: { id: number; of: number }[] = await cache.list('of', 5)
    expect([rows, finds.length]).toEqual([
      [
        { id: 1, of: 5 },
        { id: 2, of: 5 },
      ],
      1,
    ])
  })
})
