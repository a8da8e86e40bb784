import type { ScalarColumn } from './schema-facts.js'

/**
 * Which values of a field a database takes for equal: those that are equal in JavaScript, the spellings of a UUID, dates of one day, or
 * texts that differ in case. `'collation'`: as a collation says, which the schema does not show.
 */
export type Equality = 'exact' | 'uuid' | 'day' | 'without case' | 'collation'

/** PostgreSQL by both of its names, and CockroachDB, which compares values as it does. */
export const postgresProviders: ReadonlySet<string> = new Set(['postgresql', 'postgres', 'cockroachdb'])
/** Types of text that databases with exact text compare byte by byte. `undefined` is the default type of the database. */
export const exactTexts: ReadonlySet<string | undefined> = new Set([undefined, 'Text', 'VarChar', 'String'])
/** Types of text that other databases compare by a collation alone. */
const collatedTexts = new Set([
  undefined,
  'Text',
  'VarChar',
  'NVarChar',
  'TinyText',
  'MediumText',
  'LongText',
])

/** Types of text that databases return unchanged. */
export const plainTexts: ReadonlySet<string | undefined> = new Set([...exactTexts, ...collatedTexts])

/** Whether a database compares text byte by byte unless its type says otherwise. */
export function comparesTextExactly(provider: string): boolean {
  return postgresProviders.has(provider) || provider === 'sqlite'
}

/** Returns undefined if JavaScript cannot decide which values are equal: it has only a part of them, or compares them differently. */
export function equalityOf(scalar: ScalarColumn, provider: string): Equality | undefined {
  const { type, isList, nativeType } = scalar
  if (isList) return undefined
  switch (type) {
    case 'Int':
    case 'BigInt':
    case 'Boolean':
    case 'Enum':
      return 'exact'
    case 'String':
      return equalityOfText(nativeType, provider)
    case 'DateTime':
      return equalityOfDates(scalar, provider)
    case 'Decimal':
      // Others compare them as floating-point numbers.
      return postgresProviders.has(provider) && (nativeType ?? 'Decimal') === 'Decimal' ? 'exact' : undefined
    case 'Bytes':
      // SQL Server ignores zeros at the end.
      return provider !== 'sqlserver' && ['ByteA', 'Bytes'].includes(nativeType ?? 'Bytes')
        ? 'exact'
        : undefined
    default:
      return undefined
  }
}

function equalityOfText(nativeType: string | undefined, provider: string): Equality | undefined {
  if (!comparesTextExactly(provider)) {
    // SQL Server returns a CHAR with the spaces at its end, MySQL without.
    const isPlain = collatedTexts.has(nativeType) || (provider === 'mysql' && nativeType === 'Char')
    return isPlain ? 'collation' : undefined
  }
  if (nativeType === 'Uuid') return 'uuid'
  if (nativeType === 'Citext') return 'without case'
  return exactTexts.has(nativeType) ? 'exact' : undefined
}

/** Dates of JavaScript have milliseconds. A TIMESTAMP of MySQL depends on the time zone of the connection. */
function equalityOfDates(
  { nativeType, nativeArguments }: ScalarColumn,
  provider: string,
): Equality | undefined {
  if (nativeType === undefined) return provider === 'sqlserver' ? undefined : 'exact'
  const isMysql = provider === 'mysql'
  if (!isMysql && !postgresProviders.has(provider)) return undefined
  if (nativeType === 'Date') return 'day'
  const isTimestamp = isMysql ? nativeType === 'DateTime' : ['Timestamp', 'Timestamptz'].includes(nativeType)
  const [precision = isMysql ? 0 : 6] = nativeArguments.map(Number)
  return isTimestamp && precision <= 3 ? 'exact' : undefined
}
