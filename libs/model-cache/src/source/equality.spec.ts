import { equalityOf } from './equality.js'
import type { ScalarColumn } from './schema-facts.js'

const scalar = (type: string, native?: string): ScalarColumn => {
  const [, nativeType, argument] = /^(\w+)(?:\((\d+)\))?$/.exec(native ?? '') ?? []
  return {
    column: 'any',
    type,
    nativeType,
    nativeArguments: argument === undefined ? [] : [argument],
    isList: false,
    isNullable: false,
    isKeptOut: false,
    isUpdatedAt: false,
    isCollated: false,
    databaseValues: undefined,
  }
}

describe('values that a database takes for equal', () => {
  it.each([
    ['postgresql', 'Int', undefined, 'exact'],
    ['mysql', 'BigInt', undefined, 'exact'],
    ['sqlserver', 'Boolean', undefined, 'exact'],
    ['mysql', 'Enum', undefined, 'exact'],
    ['postgresql', 'String', undefined, 'exact'],
    ['cockroachdb', 'String', 'String', 'exact'],
    ['sqlite', 'String', undefined, 'exact'],
    ['postgresql', 'String', 'Uuid', 'uuid'],
    ['postgresql', 'String', 'Citext', 'without case'],
    ['postgresql', 'String', 'Char', undefined],
    ['mysql', 'String', 'VarChar', 'collation'],
    ['sqlserver', 'String', 'NVarChar', 'collation'],
    ['mongodb', 'String', undefined, 'collation'],
    ['mysql', 'String', 'Char', 'collation'],
    ['mysql', 'String', 'Inet6', undefined],
    ['sqlserver', 'String', 'Char', undefined],
    ['sqlserver', 'String', 'UniqueIdentifier', undefined],
    ['mysql', 'DateTime', undefined, 'exact'],
    ['sqlserver', 'DateTime', undefined, undefined],
    ['sqlserver', 'DateTime', 'Date', undefined],
    ['postgresql', 'DateTime', 'Timestamp(3)', 'exact'],
    ['postgresql', 'DateTime', 'Timestamptz(0)', 'exact'],
    ['postgresql', 'DateTime', 'Timestamptz(4)', undefined],
    ['postgresql', 'DateTime', 'Timestamp', undefined],
    ['postgresql', 'DateTime', 'Date', 'day'],
    ['postgresql', 'DateTime', 'Timetz(3)', undefined],
    ['mysql', 'DateTime', 'DateTime(3)', 'exact'],
    ['mysql', 'DateTime', 'DateTime', 'exact'],
    ['mysql', 'DateTime', 'DateTime(6)', undefined],
    ['mysql', 'DateTime', 'Timestamp(3)', undefined],
    ['mysql', 'DateTime', 'Date', 'day'],
    ['postgresql', 'Decimal', undefined, 'exact'],
    ['postgresql', 'Decimal', 'Decimal(3)', 'exact'],
    ['postgresql', 'Decimal', 'Money', undefined],
    ['sqlite', 'Decimal', undefined, undefined],
    ['postgresql', 'Bytes', 'ByteA', 'exact'],
    ['sqlite', 'Bytes', undefined, 'exact'],
    ['mysql', 'Bytes', 'Binary', undefined],
    ['sqlserver', 'Bytes', undefined, undefined],
    ['postgresql', 'Float', undefined, undefined],
    ['postgresql', 'Json', undefined, undefined],
  ] as const)('%s: %s %s', (provider, type, native, expected) => {
    expect(equalityOf(scalar(type, native), provider)).toBe(expected)
  })

  it('are unknown for lists', () => {
    expect(equalityOf({ ...scalar('Int'), isList: true }, 'postgresql')).toBeUndefined()
  })
})
