import { postgresProviders } from '../../equality.js'
import type { ScalarColumn, SchemaFacts } from '../../schema-facts.js'
import type { FieldReader } from './id-values.js'
import { lookupFieldFacts } from './lookup-values.js'

/** A field of rows whose values JavaScript compares as the database does. */
export interface ReadableField {
  readonly name: string
  readonly isNullable: boolean
  readonly read: FieldReader
  /** Whether Prisma takes `in` and `notIn` of the field. */
  readonly takesLists: boolean
  /** Whether two values are equal, neither of which is null. */
  isEqual(one: unknown, other: unknown): boolean
  /** How the database orders two values, neither of which is null. Undefined if only it knows, as of text. */
  readonly compare: Compare | undefined
  /** Whether Prisma takes `lt`, `lte`, `gt` and `gte` of the field, and {@link compare} decides them. */
  readonly hasRanges: boolean
  /** Where null stands in ascending order; undefined if only the database knows. */
  readonly nulls: 'first' | 'last' | undefined
}

export type Compare = (one: unknown, other: unknown) => number

/** Returns undefined if only the database can compare the values of the field. */
export function readableFieldOf(facts: SchemaFacts, model: string, name: string): ReadableField | undefined {
  const known = lookupFieldFacts(facts, { model, name, isFolded: false })
  const scalar = facts.models.get(model)?.scalars.get(name)
  // PostgreSQL refuses to compare XML, and to order by it.
  if (!known || !scalar || scalar.nativeType === 'Xml') return undefined
  const compare = compareOf(scalar, facts.provider)
  return {
    name,
    isNullable: scalar.isNullable,
    read: known.read,
    takesLists: known.takesLists,
    isEqual: compare ? (one, other) => compare(one, other) === 0 : equalityOf(scalar),
    compare,
    hasRanges: rangedTypes.has(scalar.type),
    nulls: nullsOf.get(facts.provider),
  }
}

const nullsOf: ReadonlyMap<string, 'first' | 'last'> = new Map([
  ['postgresql', 'last'],
  ['postgres', 'last'],
  ['mysql', 'first'],
  ['sqlite', 'first'],
])

const rangedTypes = new Set(['Int', 'BigInt', 'DateTime', 'Decimal'])

function compareOf({ nativeType, type }: ScalarColumn, provider: string): Compare | undefined {
  switch (type) {
    case 'Int':
    case 'BigInt':
    case 'Boolean':
    // Dates have their time as a value.
    case 'DateTime':
      return comparePlainly
    case 'Decimal':
      return (one, other) => (one as ComparableDecimal).comparedTo(other)
    case 'String':
      // The order of other text depends on its collation.
      return nativeType === 'Uuid' && postgresProviders.has(provider) ? comparePlainly : undefined
    default:
      return undefined
  }
}

interface ComparableDecimal {
  comparedTo(other: unknown): number
}

const comparePlainly: Compare = (one, other) =>
  (one as number) < (other as number) ? -1 : (one as number) > (other as number) ? 1 : 0

function equalityOf({ type }: ScalarColumn): ReadableField['isEqual'] {
  if (type !== 'Bytes') return (one, other) => one === other
  return (one, other) => Buffer.compare(one as Uint8Array, other as Uint8Array) === 0
}
