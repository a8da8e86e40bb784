import { Decimal } from '@prisma/client/runtime/client'
import type { ScalarColumn } from './scalar-column.js'
import { columnOf } from './column.js'
import { DatabaseFacts } from './database-facts.js'

const table = { schema: 'public', name: 'T' }

/** A column of a type such as `String @db.VarChar(8)`. */
function column(
  text: string,
  {
    provider = 'postgresql',
    database = new DatabaseFacts(),
    ...others
  }: Partial<ScalarColumn> & { provider?: string; database?: DatabaseFacts } = {},
) {
  const [, type, nativeType, argument] = /^(\w+)(?: (\w+)(?:\((\d+)\))?)?$/.exec(text)!
  const scalar: ScalarColumn = {
    column: 'c',
    type: type!,
    nativeType,
    nativeArguments: argument === undefined ? [] : [argument],
    isList: false,
    isNullable: false,
    isKeptOut: false,
    isUpdatedAt: false,
    databaseValues: undefined,
    ...others,
  }
  return columnOf(scalar, { name: 'field', table, provider, database, Decimal })
}

function said(timeZone: string, collation?: string): DatabaseFacts {
  const database = new DatabaseFacts()
  const found = collation === undefined ? [] : [{ schema: 'public', table: 'T', column: 'c', collation }]
  database.learn({ timeZone, collations: found })
  return database
}

describe('the kind of a column', () => {
  it.each([
    ['postgresql', 'Int', 'int'],
    ['mysql', 'BigInt', 'bigint'],
    ['sqlserver', 'Boolean', 'boolean'],
    ['mysql', 'Enum', 'enum'],
    ['postgresql', 'String', 'text'],
    ['cockroachdb', 'String String', 'text'],
    ['sqlite', 'String', 'text'],
    ['postgresql', 'String Uuid', 'uuid'],
    ['postgresql', 'String Citext', 'citext'],
    ['postgresql', 'String Char', 'padded'],
    ['mysql', 'String VarChar', 'collated'],
    ['sqlserver', 'String NVarChar', 'collated'],
    ['mongodb', 'String', 'collated'],
    ['mysql', 'String Char', 'collated'],
    ['mysql', 'String Inet6', 'opaque'],
    ['sqlserver', 'String Char', 'padded'],
    ['sqlserver', 'String UniqueIdentifier', 'opaque'],
    ['mysql', 'DateTime', 'date'],
    ['sqlserver', 'DateTime', 'opaque'],
    ['sqlserver', 'DateTime Date', 'opaque'],
    ['postgresql', 'DateTime Timestamp(3)', 'date'],
    ['postgresql', 'DateTime Timestamptz(0)', 'instant'],
    ['postgresql', 'DateTime Timestamptz(4)', 'opaque'],
    ['postgresql', 'DateTime Timestamp', 'opaque'],
    ['postgresql', 'DateTime Date', 'day'],
    ['postgresql', 'DateTime Timetz(3)', 'opaque'],
    ['mysql', 'DateTime DateTime(3)', 'date'],
    ['mysql', 'DateTime DateTime', 'date'],
    ['mysql', 'DateTime DateTime(6)', 'opaque'],
    ['mysql', 'DateTime Timestamp(3)', 'opaque'],
    ['mysql', 'DateTime Date', 'day'],
    ['postgresql', 'Decimal', 'decimal'],
    ['postgresql', 'Decimal Decimal(3)', 'decimal'],
    ['postgresql', 'Decimal Money', 'opaque'],
    ['sqlite', 'Decimal', 'opaque'],
    ['postgresql', 'Bytes ByteA', 'bytes'],
    ['sqlite', 'Bytes', 'bytes'],
    ['mysql', 'Bytes Binary', 'opaque'],
    ['sqlserver', 'Bytes', 'opaque'],
    ['postgresql', 'Float', 'opaque'],
    ['postgresql', 'Json', 'opaque'],
    ['mysql', 'Boolean', 'tinyint'],
    ['mysql', 'Boolean Bit(1)', 'boolean'],
    ['sqlite', 'Boolean', 'tinyint'],
  ] as const)('%s: %s is %s', (provider, type, kind) => {
    expect(column(type, { provider }).kind).toBe(kind)
  })

  it('is opaque for lists', () => {
    expect(column('Int', { isList: true }).kind).toBe('opaque')
  })
})

const at = (time: number | string): Date => new Date(time)
const num = (value: string): Decimal => new Decimal(value)

describe('two values', () => {
  it.each([
    ['String', 'a', 'A', false],
    ['String Citext', 'a', 'a', true],
    ['String Citext', 'a', 'A', undefined],
    ['String Citext', 'a', 'b', false],
    ['String Citext', 'a', 'ä', undefined],
    ['String Char', 'a', 'a', undefined],
    ['DateTime', at(1), at(1), true],
    ['DateTime', at(1), at(2), false],
    ['DateTime', at('infinity'), at(2), undefined],
    ['DateTime Date', at(Number.NaN), at(Number.NaN), undefined],
    ['Decimal', num('1.50'), num('1.5'), true],
    ['Decimal', num('NaN'), num('1.5'), undefined],
    ['Bytes', Buffer.from('a'), new Uint8Array([97]), true],
    ['Float', 1, 1, undefined],
  ])('of %s: %p and %p are equal: %p', (type, one, other, expected) => {
    expect(column(type).isEqual(one, other)).toBe(expected)
  })

  it.each([
    [true, true, true],
    [true, false, false],
    [false, false, undefined],
  ])('of a number that is read as %p and %p are equal: %p', (one, other, expected) => {
    expect(column('Boolean', { provider: 'mysql' }).isEqual(one, other)).toBe(expected)
    expect(column('Boolean', { provider: 'sqlite' }).compare).toBeUndefined()
  })

  it.each([
    ['a', 'a', true],
    ['a', 'A', undefined],
    ['a', 'b', false],
    ['a', 'a ', undefined],
    ['a', 'ß', undefined],
  ])('of a collation: %p and %p are equal: %p', (one, other, expected) => {
    expect(column('String', { provider: 'mysql' }).isEqual(one, other)).toBe(expected)
  })
})

describe('a value of a query', () => {
  it.each([
    ['1.50', true],
    ['NaN', false],
    ['Infinity', false],
    ['-Infinity', false],
  ])('that is the decimal %s is read: %p', (text, isRead) => {
    expect(column('Decimal').read!(num(text)) !== undefined).toBe(isRead)
  })
})

describe('a number of two digits', () => {
  it.each([
    ['Int Year', 'mysql', 24, false],
    ['Int Year', 'mysql', 0, false],
    ['Int Year', 'mysql', 2024, true],
    ['Int', 'mysql', 24, true],
    ['Int', 'postgresql', 24, true],
  ])('is left to MySQL where it stands for another year: %s of %s, %p', (type, provider, value, isKept) => {
    const { canonicalOf, isCanonical, literalOf, matchedBy, read } = column(type, { provider })
    const found = [read!(value), literalOf(value), matchedBy(value), canonicalOf(value)]
    expect(found).toEqual(Array(4).fill(isKept ? value : undefined))
    expect(isCanonical(value)).toBe(isKept)
  })
})

it.each<[string, Date | undefined]>([
  ['2026-01-01T12:00:00Z', at('2026-01-01T12:00:00Z')],
  ['2026-01-01T12:00:00.5+00:00', at('2026-01-01T12:00:00.500Z')],
  // PostgreSQL stores 12:00.
  ['2026-01-01T12:00:00+02:00', undefined],
  ['2026-01-01T12:00:00-00:30', undefined],
  ['2026-01-01T12:00:00', undefined],
])('the text %s of a query is the date %p', (text, date) => {
  const own = column('DateTime')
  expect([own.literalOf(text), own.matchedBy(text)]).toEqual([date, date])
})

describe('what the database says', () => {
  it('decides whether moments with a time zone are compared', () => {
    const read = (database?: DatabaseFacts) => column('DateTime Timestamptz(3)', { database }).read?.(at(1))
    expect([undefined, said('UTC'), said('Etc/UTC'), said('GMT'), said('Europe/Berlin')].map(read)).toEqual([
      undefined,
      at(1),
      at(1),
      at(1),
      undefined,
    ])
  })

  it('makes text of a collation that is not deterministic loose', () => {
    const database = said('UTC', 'ci')
    const name = column('String', { database })
    expect([name.isLoose, name.isCanonical('a'), name.canonicalOf('a'), name.matchedBy('a')]).toEqual([
      true,
      false,
      undefined,
      undefined,
    ])
    expect([name.isEqual('a', 'a'), name.isEqual('a', 'b')]).toEqual([true, undefined])
  })

  it.each([
    ['String', said('UTC'), undefined],
    [
      'String',
      said('UTC', 'ci'),
      'the database compares it by the collation "ci", which is not deterministic',
    ],
    ['String Uuid', said('UTC', 'ci'), undefined],
    ['DateTime Timestamptz(3)', new DatabaseFacts(), undefined],
    [
      'DateTime Timestamptz(3)',
      said('Asia/Tokyo'),
      'the sessions of the database are in the time zone Asia/Tokyo, where several moments can be one Date',
    ],
    ['DateTime Timestamp(3)', said('Asia/Tokyo'), undefined],
  ])('of %s is an objection to keys', (type, database, objection) => {
    expect(column(type, { database }).objection).toBe(objection)
  })

  it('has a version that grows with what is new', () => {
    const database = said('UTC', 'ci')
    database.learn({ timeZone: 'UTC', collations: [{ ...table, table: 'T', column: 'c', collation: 'ci' }] })
    expect(database.version).toBe(1)
    database.learn({ timeZone: 'UTC', collations: [] })
    expect(database.version).toBe(2)
  })
})
