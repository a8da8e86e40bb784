import type { ScalarColumn } from './scalar-column.js'

/**
 * What the values of a column are to its database:
 *
 * - `text`: compared byte by byte; `citext`: without case; `collated`: as a collation says, which the schema does not show
 * - `padded`: text that is found again with or without spaces at its end; `opaque`: only the database compares the values
 * - `tinyint`: truth values of a column that holds other numbers than 0 and 1 as well, each of which is read as false
 * - `instant`: dates that depend on the time zone of the session; `day`: dates without a time
 */
export type ColumnKind =
  | 'text'
  | 'citext'
  | 'collated'
  | 'padded'
  | 'uuid'
  | 'enum'
  | 'int'
  | 'bigint'
  | 'boolean'
  | 'tinyint'
  | 'date'
  | 'instant'
  | 'day'
  | 'decimal'
  | 'bytes'
  | 'opaque'

/** Databases that compare values alike. CockroachDB is one of PostgreSQL's family. */
export type Family = 'postgresql' | 'mysql' | 'sqlite' | 'sqlserver' | 'other'

const families: Readonly<Record<string, Family>> = {
  postgresql: 'postgresql',
  postgres: 'postgresql',
  cockroachdb: 'postgresql',
  mysql: 'mysql',
  sqlite: 'sqlite',
  sqlserver: 'sqlserver',
}

export function familyOf(provider: string): Family {
  return families[provider] ?? 'other'
}

/** A type of a column. The first row of the table that a column fits says what it is. */
interface NativeType {
  readonly type: string
  /** @default all */
  readonly of?: readonly Family[]
  /** The native types that the schema may name; `''` for none. @default all */
  readonly native?: readonly string[]
  readonly kind: ColumnKind
  /** The digits of seconds that a native type has unless it says how many. JavaScript has three. */
  readonly digits?: number
  /** Whether the database returns text as it was given, but for spaces at the end that a limit cuts. */
  readonly keepsText?: boolean
}

const nativeTypes: readonly NativeType[] = [
  { type: 'Int', kind: 'int' },
  { type: 'BigInt', kind: 'bigint' },
  { type: 'Enum', kind: 'enum' },

  { type: 'Boolean', of: ['mysql'], native: ['Bit'], kind: 'boolean' },
  { type: 'Boolean', of: ['mysql', 'sqlite'], kind: 'tinyint' },
  { type: 'Boolean', kind: 'boolean' },

  {
    type: 'String',
    of: ['postgresql', 'sqlite'],
    native: ['', 'Text', 'VarChar', 'String'],
    kind: 'text',
    keepsText: true,
  },
  { type: 'String', of: ['postgresql'], native: ['Uuid'], kind: 'uuid' },
  { type: 'String', of: ['postgresql'], native: ['Citext'], kind: 'citext' },
  { type: 'String', of: ['postgresql', 'sqlserver'], native: ['Char'], kind: 'padded' },
  {
    type: 'String',
    of: ['mysql', 'sqlserver', 'other'],
    native: ['', 'Text', 'VarChar', 'NVarChar', 'TinyText', 'MediumText', 'LongText'],
    kind: 'collated',
    keepsText: true,
  },
  // SQL Server returns it with the spaces at its end, MySQL without.
  { type: 'String', of: ['mysql'], native: ['Char'], kind: 'collated' },

  { type: 'DateTime', of: ['postgresql', 'mysql', 'sqlite', 'other'], native: [''], kind: 'date' },
  { type: 'DateTime', of: ['postgresql', 'mysql'], native: ['Date'], kind: 'day' },
  { type: 'DateTime', of: ['postgresql'], native: ['Timestamp'], kind: 'date', digits: 6 },
  { type: 'DateTime', of: ['postgresql'], native: ['Timestamptz'], kind: 'instant', digits: 6 },
  // Not its TIMESTAMP, which depends on the time zone of the connection.
  { type: 'DateTime', of: ['mysql'], native: ['DateTime'], kind: 'date', digits: 0 },

  // Others compare them as floating-point numbers.
  { type: 'Decimal', of: ['postgresql'], native: ['', 'Decimal'], kind: 'decimal' },
  // SQL Server ignores zeros at the end.
  {
    type: 'Bytes',
    of: ['postgresql', 'mysql', 'sqlite', 'other'],
    native: ['', 'ByteA', 'Bytes'],
    kind: 'bytes',
  },
]

/** What a column is by its type alone, and whether it keeps text as it was given. */
export function nativeTypeOf(
  { isList, nativeArguments, nativeType = '', type }: ScalarColumn,
  family: Family,
): Required<Pick<NativeType, 'kind' | 'keepsText'>> {
  const found = nativeTypes.find(
    (row) =>
      row.type === type && (row.of?.includes(family) ?? true) && (row.native?.includes(nativeType) ?? true),
  )
  const isCut = found?.digits !== undefined && Number(nativeArguments[0] ?? found.digits) > 3
  return { kind: !found || isCut || isList ? 'opaque' : found.kind, keepsText: found?.keepsText ?? false }
}
