import { postgresProviders } from '../../equality.js'
import type { ScalarColumn, SchemaFacts } from '../../schema-facts.js'
import { type FieldFacts, type FieldReader, idFieldFacts } from './id-values.js'

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

/** The schema says of `citext` alone that the database compares it without case. */
function foldedReaderOf({ nativeType }: ScalarColumn): FieldReader | undefined {
  return nativeType === 'Citext' ? (value) => (typeof value === 'string' ? value : undefined) : undefined
}

function readerOf({ Decimal, provider }: SchemaFacts, scalar: ScalarColumn): FieldReader | undefined {
  const { nativeType, type } = scalar
  if (type === 'Boolean') return (value) => (typeof value === 'boolean' ? value : undefined)
  // Only these compare dates, decimals and bytes by their value.
  if (!postgresProviders.has(provider)) return undefined
  if (type === 'Decimal' && (nativeType === undefined || nativeType === 'Decimal'))
    // Only Prisma knows which decimal it makes of other numbers.
    return (value) =>
      Number.isSafeInteger(value) ? new Decimal(String(value)) : Decimal.isDecimal(value) ? value : undefined
  if (type === 'Bytes') return (value) => (value instanceof Uint8Array ? new Uint8Array(value) : undefined)
  return undefined
}
