import { isCanonicalUuid, toCanonicalUuid } from '../uuid.js'
import { type ColumnKind, familyOf, nativeTypeOf } from './column-kinds.js'
import { type Compare, type ComparedKind, comparisons } from './comparisons.js'
import type { DatabaseFacts } from './database-facts.js'
import { type Reader, readerOf } from './readers.js'
import type { DecimalClass, ScalarColumn } from './scalar-column.js'

/** What a database makes of the values of a column: the one place that knows. */
export interface Column extends ScalarColumn {
  /** The name of the field. */
  readonly name: string
  /** What it is by its type alone. */
  readonly kind: ColumnKind
  /** Why its values are no keys, by what the database says beyond the schema; undefined if they are, or it has not been asked. */
  readonly objection: string | undefined
  /** Whether the database may take different texts for equal, so that a value which a query names is stored in another spelling. */
  readonly isLoose: boolean
  /** Whether the database returns text as it was given. */
  readonly keepsText: boolean
  /** Whether a query finds a row again by the value that the client has. Some types lose a part in JavaScript, such as microseconds. */
  readonly isFoundAgain: boolean
  /** Whether Prisma reads it at all: driver adapters refuse some types, even where there are no rows. */
  readonly isReadable: boolean
  /** Whether the text of a value is the same wherever it is stored: Prisma joins the rows of relations by that. */
  readonly hasOneText: boolean
  /** Whether a value is spelled as the database stores it. */
  isCanonical(value: unknown): boolean
  /** Spells a value as the database stores it; undefined if only the database can. */
  canonicalOf(value: unknown): unknown
  /**
   * Returns the value as the database returns it, or undefined if the argument does not determine it: decimals, bytes, and text of types
   * that the database normalizes or compares in its own way. `null` stays `null`.
   */
  literalOf(value: unknown): unknown
  /** As {@link literalOf}, of the rows that a condition with this value matches. */
  matchedBy(value: unknown): unknown
  /** Reads a value of a query as rows have it, which it returns undefined for otherwise. Undefined if queries by it are never answered. */
  readonly read: Reader | undefined
  /** Whether Prisma takes `in` and `notIn`. */
  readonly takesLists: boolean
  /** Whether Prisma takes `lt`, `lte`, `gt` and `gte`, and {@link compare} decides them. */
  readonly hasRanges: boolean
  /** Whether two values are equal, neither of which is null; undefined if only the database knows. */
  readonly isEqual: (one: unknown, other: unknown) => boolean | undefined
  /** How the database orders two values, neither of which is null. Undefined, or NaN, if only it knows. */
  readonly compare: Compare | undefined
  /** Where null stands in ascending order; undefined if only the database knows. */
  readonly nulls: 'first' | 'last' | undefined
}

/** The place of a column in the database. */
export interface ColumnPlace {
  /** The kind of database. */
  readonly provider: string
  /** What the database says of its columns. */
  readonly database: DatabaseFacts
  readonly Decimal: DecimalClass
  /** The name of the field. */
  readonly name: string
  readonly table: { readonly schema: string; readonly name: string }
}

/** The kinds whose values a query finds again. */
const foundAgain: ReadonlySet<ComparedKind> = new Set([
  'text',
  'citext',
  'collated',
  'collation',
  'padded',
  'uuid',
  'enum',
  'int',
  'bigint',
  'boolean',
  'tinyint',
  'date',
  'day',
])
/** Kinds of which a value has several texts, or several values have one. */
const severalTexts: ReadonlySet<ColumnKind> = new Set(['decimal', 'tinyint', 'padded', 'opaque'])
/** Kinds of text, other than UUIDs. */
const looseKinds: ReadonlySet<ComparedKind> = new Set(['citext', 'collated', 'collation'])
/** In other databases, such values of queries are rounded, spelled or cut in ways of their own. */
const postgresOnly: ReadonlySet<ComparedKind> = new Set(['date', 'day', 'bytes'])
/** By provider: in CockroachDB, a setting of the session decides. */
const nullsOf = { postgresql: 'last', postgres: 'last', mysql: 'first', sqlite: 'first' } as const

export function columnOf(scalar: ScalarColumn, place: ColumnPlace): Column {
  const { database, name, provider, table } = place
  const { column, isList, nativeArguments, type } = scalar
  const family = familyOf(provider)
  const { kind, keepsText } = nativeTypeOf(scalar, family)
  // Each value of each key is compared by what it says.
  let found: string | undefined
  let foundAt: number | undefined
  const collation = (): string | undefined => {
    if (kind !== 'text' && kind !== 'citext') return undefined
    if (foundAt === database.version) return found
    foundAt = database.version
    return (found = database.collationOf(table, column))
  }
  /** Returns the kind as which the database compares the values. */
  const compared = (): ComparedKind => {
    if (kind === 'instant') return database.isUtc ? 'date' : 'opaque'
    return collation() === undefined ? kind : 'collation'
  }
  /** Returns the comparison that JavaScript does in the place of the database. */
  const comparison = (): (typeof comparisons)[ComparedKind] => {
    const own = compared()
    return comparisons[family !== 'postgresql' && postgresOnly.has(own) ? 'opaque' : own]
  }
  const isText = type === 'String' && !isList
  const isYear = family === 'mysql' && scalar.nativeType === 'Year'
  // MySQL takes 24 for 2024.
  const isShortened = (value: unknown): boolean => isYear && typeof value === 'number' && value < 100
  // No row has a longer one, and so many characters are at least as many of the database's.
  const longest = kind === 'text' ? Number(nativeArguments[0] ?? Infinity) : Infinity
  const own: Column = {
    ...scalar,
    name,
    kind,
    keepsText,
    get objection() {
      const found = collation()
      if (found !== undefined)
        return `the database compares it by the collation "${found}", which is not deterministic`
      const { isUtc, timeZone } = database
      if (kind !== 'instant' || isUtc || timeZone === undefined) return undefined
      return `the sessions of the database are in the time zone ${timeZone}, where several moments can be one Date`
    },
    get isLoose() {
      return looseKinds.has(compared()) || (isText && kind !== 'uuid' && !(family in exactFamilies))
    },
    get isFoundAgain() {
      return foundAgain.has(compared())
    },
    isReadable: !(family === 'postgresql' && isList && scalar.nativeType === 'Timetz'),
    hasOneText: !severalTexts.has(kind),
    isCanonical(value) {
      if (!isText) return !isShortened(value)
      if (kind === 'uuid') return isCanonicalUuid(String(value))
      return compared() === 'text' && (typeof value !== 'string' || value.length <= longest)
    },
    canonicalOf(value) {
      if (kind === 'uuid') return toCanonicalUuid(value)
      return (isText && compared() !== 'text') || isShortened(value) ? undefined : value
    },
    literalOf: (value) => literalOf(own, value),
    matchedBy: (value) => (own.isLoose && value !== null ? undefined : literalOf(own, value)),
    get read() {
      return readerOf(compared(), family, own, place)
    },
    takesLists: type !== 'Boolean',
    get hasRanges() {
      return comparison().hasRanges ?? false
    },
    get isEqual() {
      return comparison().isEqual
    },
    get compare() {
      return comparison().compare
    },
    nulls: nullsOf[provider as keyof typeof nullsOf],
  }
  return own
}

/** Databases that compare text byte by byte unless its type says otherwise. */
const exactFamilies = { postgresql: true, sqlite: true }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** At most milliseconds: a JavaScript date holds no smaller parts. In UTC: without a zone in its type, PostgreSQL ignores that of a text. */
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]00:00)$/

function literalOf(column: Column, value: unknown): unknown {
  if (value === null) return null
  switch (column.type) {
    case 'String':
      return typeof value === 'string' ? textOf(column, value) : undefined
    case 'Enum':
      return typeof value === 'string' ? value : undefined
    case 'Int':
      // The database has no negative zero.
      return Number.isSafeInteger(value) && column.isCanonical(value) ? (value as number) + 0 : undefined
    case 'Boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'BigInt':
      return typeof value === 'bigint' || Number.isSafeInteger(value)
        ? BigInt(value as bigint | number)
        : undefined
    case 'DateTime':
      // Native types may drop parts of the date.
      return column.nativeType === undefined ? dateOf(value) : undefined
    default:
      return undefined
  }
}

function textOf({ isLoose, keepsText, kind, nativeType }: Column, text: string): string | undefined {
  if (kind === 'uuid') return uuid.test(text) ? text.toLowerCase() : undefined
  // The database cannot store half a surrogate pair, and a length limit cuts trailing spaces.
  const isKept = keepsText && text.isWellFormed()
  const isLimited = isLoose || nativeType !== undefined
  return isKept && !(isLimited && text.endsWith(' ')) ? text : undefined
}

function dateOf(value: unknown): Date | undefined {
  if (!(value instanceof Date) && !(typeof value === 'string' && timestamp.test(value))) return undefined
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date
}
