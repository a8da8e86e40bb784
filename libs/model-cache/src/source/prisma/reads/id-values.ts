import { canonicalIds } from '../../canonical-ids.js'
import { equalityOf, postgresProviders } from '../../equality.js'
import type { ScalarColumn, SchemaFacts } from '../../schema-facts.js'

/** Returns the value as the cache has it; undefined if the field has no such value, or the database spells it differently. */
export type FieldReader = (value: unknown) => unknown

/** One field of an id, or of the key of a lookup. */
export interface FieldFacts {
  readonly name: string
  readonly read: FieldReader
  /** Whether Prisma takes `in` and `notIn` of the field. */
  readonly takesLists: boolean
}

/** Returns undefined if values of the field's type are not compared as JavaScript compares them. Text may be: only a row's own id answers. */
export function idFieldFacts(facts: SchemaFacts, model: string, name: string): FieldFacts | undefined {
  const scalar = facts.models.get(model)?.scalars.get(name)
  const read = scalar && readerOf(facts, model, name, scalar)
  if (!read) return undefined
  return { name, read, takesLists: true }
}

function readerOf(
  facts: SchemaFacts,
  model: string,
  name: string,
  scalar: ScalarColumn,
): FieldReader | undefined {
  const { databaseValues, isCollated, type } = scalar
  switch (type) {
    case 'String': {
      // A row whose id is spelled in another way does not answer, and the database is asked whether there is one.
      if (isCollated) return (value) => (typeof value === 'string' ? value : undefined)
      const isCanonical = canonicalIds<string>(facts, model, [name]).isCanonical!
      return (value) => (typeof value === 'string' && isCanonical(value) ? value : undefined)
    }
    case 'Int':
      return (value) => (Number.isInteger(value) && (value as number) >> 0 === value ? value : undefined)
    case 'BigInt':
      return bigintOf
    case 'Enum':
      return (value) => (typeof value === 'string' && databaseValues?.has(value) ? value : undefined)
    case 'DateTime':
      return dateReaderOf(facts, scalar)
    default:
      return undefined
  }
}

/** Other databases do not compare dates by their value alone, and JavaScript not those with microseconds. */
function dateReaderOf({ provider }: SchemaFacts, scalar: ScalarColumn): FieldReader | undefined {
  const equality = postgresProviders.has(provider) ? equalityOf(scalar, provider) : undefined
  return equality && ((value) => dateOf(value, equality === 'day' ? dayMs : 1))
}

const dayMs = 86_400_000

/** A date of the years 1 to 9999 that is a multiple of `stepMs`. The database spells others in ways of its own, or cuts them. */
function dateOf(value: unknown, stepMs: number): Date | undefined {
  if (!(value instanceof Date) || value.getTime() % stepMs !== 0) return undefined
  const year = value.getUTCFullYear()
  return year >= 1 && year <= 9999 ? new Date(value) : undefined
}

/** Prisma accepts numbers for BigInt fields. */
function bigintOf(value: unknown): bigint | undefined {
  const id = Number.isSafeInteger(value) ? BigInt(value as number) : value
  return typeof id === 'bigint' && BigInt.asIntN(64, id) === id ? id : undefined
}
