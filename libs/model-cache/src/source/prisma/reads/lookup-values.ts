import { postgresProviders } from '../../equality.js'
import type { ScalarColumn, SchemaFacts } from '../../schema-facts.js'
import { type FieldFacts, type FieldReader, idFieldFacts } from './id-values.js'

const dayMs = 86_400_000

export interface LookupField {
  readonly model: string
  readonly name: string
  /** Whether the lookup compares its text without case. */
  readonly isFolded: boolean
}

/**
 * As {@link idFieldFacts}, for a field of the key of a lookup, which may be of more types. Values are copies: the caller may change what
 * was given.
 */
export function lookupFieldFacts(
  facts: SchemaFacts,
  { isFolded, model, name }: LookupField,
): FieldFacts | undefined {
  const scalar = facts.models.get(model)?.scalars.get(name)
  if (!scalar || scalar.isList) return undefined
  const read = isFolded ? foldedReaderOf(scalar) : readerOf(facts, scalar)
  if (read) return { name, read, takesLists: scalar.type !== 'Boolean' }
  return isFolded || scalar.isCollated ? undefined : idFieldFacts(facts, model, name)
}

/** Of no other type does the schema say that the database compares it without case. */
function foldedReaderOf({ nativeType }: ScalarColumn): FieldReader | undefined {
  return nativeType === 'Citext' ? (value) => (typeof value === 'string' ? value : undefined) : undefined
}

function readerOf({ Decimal, provider }: SchemaFacts, scalar: ScalarColumn): FieldReader | undefined {
  const { nativeType, type } = scalar
  if (type === 'Boolean') return (value) => (typeof value === 'boolean' ? value : undefined)
  // Only these compare dates, decimals and bytes by their value.
  if (!postgresProviders.has(provider)) return undefined
  if (type === 'DateTime') return dateReaderOf(scalar)
  if (type === 'Decimal' && (nativeType === undefined || nativeType === 'Decimal'))
    // Of other numbers, only Prisma knows which decimal it makes of them.
    return (value) =>
      Number.isSafeInteger(value) ? new Decimal(String(value)) : Decimal.isDecimal(value) ? value : undefined
  if (type === 'Bytes') return (value) => (value instanceof Uint8Array ? new Uint8Array(value) : undefined)
  return undefined
}

/** Of a column with microseconds, several values are one date in JavaScript. */
function dateReaderOf({ nativeArguments, nativeType }: ScalarColumn): FieldReader | undefined {
  if (nativeType === 'Date') return (value) => dateOf(value, dayMs)
  const isExact =
    nativeType === undefined || (/^Timestamp(tz)?$/.test(nativeType) && Number(nativeArguments[0]) <= 3)
  return isExact ? (value) => dateOf(value, 1) : undefined
}

/** A date of the years 1 to 9999 that is a multiple of `stepMs`. The database spells others in ways of its own, or cuts them. */
function dateOf(value: unknown, stepMs: number): Date | undefined {
  if (!(value instanceof Date) || value.getTime() % stepMs !== 0) return undefined
  const year = value.getUTCFullYear()
  return year >= 1 && year <= 9999 ? new Date(value) : undefined
}
