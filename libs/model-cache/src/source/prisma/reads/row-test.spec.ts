import { Decimal } from '@prisma/client/runtime/client'
import type { CachedRow } from '../../read-caches.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { compileRowTest } from './row-test.js'
import { membersOf } from './where.js'

const facts = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
enum Kind {
  NEW
  OLD
}
model Post {
  id    Int       @id
  count Int?
  title String?
  open  Boolean?
  kind  Kind
  big   BigInt?
  at    DateTime?
  price Decimal?
  hash  Bytes?
  token String?   @db.Uuid
  ratio Float?
  char  String?   @db.Char(4)
  json  Json?
  tags  String[]
  small Int?      @db.SmallInt
  oid   Int?      @db.Oid
}`)

const testOf = (where: object) =>
  compileRowTest(membersOf(where)!, {
    fieldOf: (name) => facts.models.get('Post')!.scalars.get(name),
    relationOf: () => undefined,
  })

/** Whether a row fulfils the conditions; or why only the database decides. */
const decide = (where: object, row: CachedRow): boolean | string | undefined => {
  const test = testOf(where)
  return typeof test === 'object' ? test.holds(row) : test
}

const date = new Date('2024-02-29T12:30:00.123Z')
const row = {
  id: 1,
  count: 5,
  title: 'a',
  open: true,
  kind: 'NEW',
  big: 2n ** 60n,
  at: date,
  price: new Decimal('1.50'),
  hash: new Uint8Array([1, 2]),
  token: '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a',
  small: 2 ** 15 - 1,
  oid: 0,
}
const nulls = Object.fromEntries(Object.keys(row).map((name) => [name, name === 'id' ? 1 : null]))

describe('a condition of a field', () => {
  it.each<[object]>([
    [{ count: 5 }],
    [{ count: { equals: 5 } }],
    [{ count: { in: [1, 5] } }],
    [{ count: { notIn: [1, 2] } }],
    [{ count: { not: 4 } }],
    [{ count: { not: { in: [4] } } }],
    [{ count: { not: { lt: 5 } } }],
    [{ count: { not: null } }],
    [{ count: { gte: 5, lt: 6 } }],
    [{ count: { gt: 4 }, title: 'a' }],
    [{ big: { gt: 1 } }],
    [{ big: { lte: 2n ** 60n } }],
    [{ at: new Date(date) }],
    [{ at: { gt: new Date(0) } }],
    [{ price: new Decimal('1.5') }],
    [{ price: { lt: new Decimal('1.51') } }],
    [{ price: { gt: 1, lte: 2 } }],
    [{ price: { in: [1, new Decimal('1.5')] } }],
    [{ hash: Buffer.from([1, 2]) }],
    [{ kind: { in: ['OLD', 'NEW'] } }],
    [{ open: true, kind: 'NEW', token: row.token }],
    [{ small: 2 ** 15 - 1, oid: { lt: 2 ** 31 - 1 } }],
    [{ small: { gte: -(2 ** 15) } }],
  ])('holds: %p', (where) => {
    expect(decide(where, row)).toBe(true)
    expect(decide({ NOT: where }, row)).toBe(false)
  })

  it.each<[object]>([
    [{ count: 4 }],
    [{ count: { in: [] } }],
    [{ count: { notIn: [5] } }],
    [{ count: { not: 5 } }],
    [{ count: null }],
    [{ count: { gte: 5, lt: 5 } }],
    [{ count: { lte: 4 } }],
    [{ count: { gt: 5 } }],
    [{ count: { gte: 6 } }],
    [{ at: new Date(+date + 1) }],
    [{ price: new Decimal('1.51') }],
    [{ price: 1 }],
    [{ hash: new Uint8Array([1]) }],
    [{ title: 'A' }],
  ])('does not hold: %p', (where) => {
    expect(decide(where, row)).toBe(false)
    expect(decide({ NOT: where }, row)).toBe(true)
  })

  it.each<[object]>([
    [{ count: 5 }],
    [{ count: { not: 5 } }],
    [{ count: { in: [5] } }],
    [{ count: { notIn: [5] } }],
    [{ count: { lt: 5 } }],
    [{ title: { not: { equals: 'a' } } }],
  ])('is neither true nor false of null: %p', (where) => {
    expect(decide(where, nulls)).toBe(false)
    expect(decide({ NOT: where }, nulls)).toBe(false)
  })

  it('is true or false of null where SQL says so', () => {
    expect(decide({ count: null }, nulls)).toBe(true)
    expect(decide({ count: { not: null } }, nulls)).toBe(false)
    expect(decide({ count: { in: [] } }, nulls)).toBe(false)
    expect(decide({ count: { notIn: [] } }, nulls)).toBe(true)
  })
})

describe('several conditions', () => {
  it.each<[boolean, object]>([
    [true, { AND: [{ count: 5 }, { OR: [{ title: 'b' }, { open: true }] }] }],
    [false, { AND: { count: 5 }, OR: [{ title: 'b' }, { open: false }] }],
    [true, { NOT: { count: 5, title: 'b' } }],
    [false, { NOT: [{ count: 4 }, { title: 'a' }] }],
    [true, { NOT: { OR: [{ count: 4 }, { NOT: { title: 'a' } }] } }],
  ])('are decided together: %p for %j', (expected, where) => {
    expect(decide(where, row)).toBe(expected)
  })

  it('are unknown if one is, unless another one decides', () => {
    const some = { ...row, title: null }
    expect(decide({ OR: [{ title: 'a' }, { count: 5 }] }, some)).toBe(true)
    expect(decide({ OR: [{ title: 'a' }, { count: 4 }] }, some)).toBe(false)
    expect(decide({ NOT: { title: 'a', count: 5 } }, some)).toBe(false)
    expect(decide({ NOT: { title: 'a', count: 4 } }, some)).toBe(true)
  })

  it('count the values that they name', () => {
    expect(testOf({ count: { in: [1, 2, 3] }, NOT: { title: 'a' } })).toMatchObject({ values: 4 })
    expect(testOf({})).toBeUndefined()
  })
})

it.each<[object]>([
  [{ ratio: 1 }],
  [{ char: 'a' }],
  [{ json: { equals: 1 } }],
  [{ tags: { has: 'a' } }],
  [{ none: 1 }],
  [{ id: null }],
  [{ id: { not: null } }],
  [{ count: '5' }],
  [{ count: undefined }],
  [{ count: {} }],
  [{ count: { in: 5 } }],
  [{ count: { in: [5, null] } }],
  [{ count: { lt: null } }],
  [{ count: { not: { not: 5 } } }],
  [{ count: { not: { gte: 3, lt: 9 } } }],
  [{ count: { equals: 5, mode: 'insensitive' } }],
  [{ title: { contains: 'a' } }],
  [{ title: 'a\0' }],
  [{ title: { in: ['a', '\uD800'] } }],
  [{ title: { gt: 'a' } }],
  [{ small: 2 ** 15 }],
  [{ small: { gt: -(2 ** 15) - 1 } }],
  [{ small: { in: [1, 70_000] } }],
  [{ oid: { gt: -1 } }],
  [{ open: { in: [true] } }],
  [{ open: { gt: false } }],
  [{ token: { lt: row.token } }],
  [{ token: row.token.toUpperCase() }],
  [{ OR: [] }],
  [{ OR: [{}] }],
  [{ OR: { count: 5 } }],
  [{ NOT: [] }],
  [{ NOT: {} }],
  [{ count: 5, OR: [{ ratio: 1 }, { count: 5 }] }],
])('leaves to the database: %p', (where) => {
  expect(decide(where, row)).toBe('condition')
})
