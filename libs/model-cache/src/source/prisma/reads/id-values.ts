import { canonicalIds } from '../../canonical-ids.js'
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
  { type, databaseValues, isCollated }: ScalarColumn,
): FieldReader | undefined {
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
    default:
      return undefined
  }
}

/** Prisma accepts numbers for BigInt fields. */
function bigintOf(value: unknown): bigint | undefined {
  const id = Number.isSafeInteger(value) ? BigInt(value as number) : value
  return typeof id === 'bigint' && BigInt.asIntN(64, id) === id ? id : undefined
}
