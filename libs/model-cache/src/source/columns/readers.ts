import type { Family } from './column-kinds.js'
import type { ComparedKind } from './comparisons.js'
import type { DecimalClass, ScalarColumn } from './scalar-column.js'

/** Returns the value as rows have it; undefined if the column has no such value, or the database spells it differently. */
export type Reader = (value: unknown) => unknown

/** What is known of a column whose values are read. */
interface ReadColumn extends Pick<ScalarColumn, 'databaseValues' | 'isList' | 'nativeType' | 'type'> {
  isCanonical(value: unknown): boolean
}

/**
 * Returns what reads values that queries name, as copies: the caller may change what was given. Undefined for a column that no query
 * names.
 */
export function readerOf(
  kind: ComparedKind,
  family: Family,
  { databaseValues, isCanonical, isList, nativeType = '', type }: ReadColumn,
  { Decimal }: { readonly Decimal: DecimalClass },
): Reader | undefined {
  const isPostgres = family === 'postgresql'
  switch (kind) {
    case 'text':
    case 'uuid':
      return (value) => (typeof value === 'string' && isCanonical(value) ? value : undefined)
    // A row that is spelled in another way does not answer, and the database is asked whether there is one.
    case 'citext':
    case 'collated':
    case 'collation':
      return textIn
    case 'enum':
      return (value) => (typeof value === 'string' && databaseValues?.has(value) ? value : undefined)
    case 'int': {
      const [least, most] = (isPostgres ? rangesOfPostgres[nativeType] : undefined) ?? intRange
      return (value) =>
        Number.isInteger(value) &&
        (value as number) >= least &&
        (value as number) <= most &&
        isCanonical(value)
          ? value
          : undefined
    }
    case 'bigint':
      return bigintIn
    case 'boolean':
    case 'tinyint':
      return (value) => (typeof value === 'boolean' ? value : undefined)
    case 'date':
      return isPostgres ? (value) => dateIn(value, 1) : undefined
    case 'day':
      return isPostgres ? (value) => dateIn(value, dayMs) : undefined
    case 'decimal':
      // For other numbers, and for those that are not finite, only Prisma knows which decimal it makes of them.
      return (value) =>
        Number.isSafeInteger(value)
          ? new Decimal(String(value))
          : Decimal.isDecimal(value) && (value as { isFinite(): boolean }).isFinite()
            ? value
            : undefined
    case 'bytes':
      return isPostgres
        ? (value) => (value instanceof Uint8Array ? new Uint8Array(value) : undefined)
        : undefined
    case 'padded':
    case 'opaque':
      // Ids of such text have a form of their own in each row.
      return type === 'String' && !isList ? () => undefined : undefined
  }
}

type Range = readonly [least: number, most: number]

const intRange: Range = [-(2 ** 31), 2 ** 31 - 1]
/** PostgreSQL takes a value for one of the column's type: it refuses one that is too large, and reads a negative oid as a large one. */
const rangesOfPostgres: Readonly<Record<string, Range>> = {
  SmallInt: [-(2 ** 15), 2 ** 15 - 1],
  Int2: [-(2 ** 15), 2 ** 15 - 1],
  Oid: [0, 2 ** 31 - 1],
}

function textIn(value: unknown): unknown {
  return typeof value === 'string' ? value : undefined
}

const dayMs = 86_400_000

/** A date of the years 1 to 9999 that is a multiple of `stepMs`. The database spells others in ways of its own, or cuts them. */
function dateIn(value: unknown, stepMs: number): Date | undefined {
  if (!(value instanceof Date) || value.getTime() % stepMs !== 0) return undefined
  const year = value.getUTCFullYear()
  return year >= 1 && year <= 9999 ? new Date(value) : undefined
}

/** Prisma accepts numbers for BigInt columns. */
function bigintIn(value: unknown): bigint | undefined {
  const id = Number.isSafeInteger(value) ? BigInt(value as number) : value
  return typeof id === 'bigint' && BigInt.asIntN(64, id) === id ? id : undefined
}
