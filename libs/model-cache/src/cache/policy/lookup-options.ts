import type { LookupDescription } from '../../consistency/lookup-description.js'
import type { KeyField } from '../../consistency/lookup-key.js'
import { InvalidOptionError } from '../../errors.js'

type DecimalLike = { toFixed(): string; isFinite(): boolean }

/** What a field of a lookup may hold. Rows in which a field of the key is null are found by no key. */
export type KeyScalar = string | number | bigint | boolean | Date | Uint8Array | DecimalLike

/** The fields of a row that lookups can use, with their types. */
export type KeyScalars<Row> = {
  [K in keyof Row & string as [NonNullable<Row[K]>] extends [KeyScalar] ? K : never]: Row[K]
}

/** The field of a key, or several. */
export type KeyFields<Field> = Field | readonly [Field, Field, ...Field[]]

/** The key of a lookup: the value of its one field, or an object of several. */
export type KeyOf<Row, Fields> = Fields extends readonly (infer F)[]
  ? { readonly [K in F & keyof Row]: NonNullable<Row[K]> }
  : Fields extends keyof Row
    ? NonNullable<Row[Fields]>
    : never

/** How the database compares the text of a key, where its schema does not say. */
interface TextComparison {
  /** The database compares the text of the key without case. Required, or `caseSensitive`, where databases do by default. */
  readonly fold?: 'case'
  /** The columns of the key have a collation that distinguishes case. */
  readonly caseSensitive?: true
}

/** A unique key of the model, by which rows are read like by their id. */
export type UniqueOptions<Fields> = Fields | ({ readonly by: Fields } & TextComparison)

/** A condition on one field, which can be decided from a row. */
type Condition<Value> =
  | Value
  | (null extends Value ? { readonly not: null } : never)
  | { readonly in: readonly NonNullable<Value>[] }

/** The conditions that all rows of a list fulfil: each field equals a constant, is null or not, or is one of several constants. */
export type ListWhere<Row> = { readonly [K in keyof KeyScalars<Row>]?: Condition<KeyScalars<Row>[K]> }

type Direction = 'asc' | 'desc'

/** One field, as in Prisma. */
export type ListOrder<Row> = {
  readonly [K in keyof KeyScalars<Row>]?:
    | Direction
    | (null extends KeyScalars<Row>[K]
        ? { readonly sort: Direction; readonly nulls?: 'first' | 'last' }
        : never)
}

/** Which of the rows that share a key are in a list, and in which order. */
interface ListedRows<Row> extends TextComparison {
  /** Conditions with constants, which all rows of the list fulfil. */
  readonly where?: ListWhere<Row>
  /** As in Prisma. The id is added as the last member, so that the order of equal rows is the same for each read. @default the id */
  readonly orderBy?: ListOrder<Row> | readonly ListOrder<Row>[]
  /** The list ends after so many rows. @default all rows */
  readonly limit?: number
  /** A list without `limit` that has more rows is answered by the database each time, and counted. @default 1_000 */
  readonly maxRows?: number
}

/** The rows that share a key, in an order. */
export interface ListOptions<Row, Fields> extends ListedRows<Row> {
  /** The field or fields that the rows of one list have in common, usually a foreign key. */
  readonly by: Fields
}

/** The rows that an implicit many-to-many relation connects with one row of another model. */
export interface RelatedListOptions<Row, Relation> extends ListedRows<Row> {
  /** The relation field of the model. The key is the id of the row at the other side. */
  readonly through: Relation
}

/** The keys of the lookups of a cache, by name. */
export interface LookupKeys {
  readonly unique: object
  readonly lists: object
}

/** A cache that finds rows by their id alone. */
export interface NoLookups {
  readonly unique: Record<never, never>
  readonly lists: Record<never, never>
}

/** A lookup of a definition, validated as far as its options show. */
export interface LookupDefinition {
  readonly name: string
  readonly kind: 'unique' | 'list'
  /** The fields of the key. */
  readonly by: readonly string[]
  /** Whether a key is an object of its fields, even if it is one. */
  readonly isCompound: boolean
  /** The implicit many-to-many relation whose other side is the key. */
  readonly through: string | undefined
  readonly where: Readonly<Record<string, unknown>>
  /** As Prisma takes it, without the id. */
  readonly orderBy: readonly Readonly<Record<string, unknown>>[]
  readonly limit: number | undefined
  readonly maxRows: number
  readonly comparesText: 'without case' | 'exactly' | undefined
}

interface GivenLookup {
  readonly by?: unknown
  readonly through?: unknown
  readonly where?: unknown
  readonly orderBy?: unknown
  readonly limit?: unknown
  readonly maxRows?: unknown
  readonly fold?: unknown
  readonly caseSensitive?: unknown
}

const defaultMaxRows = 1_000

/**
 * Validates the lookups of a definition.
 *
 * @throws InvalidOptionError
 */
export function lookupsIn(options: {
  readonly unique?: object | undefined
  readonly lists?: object | undefined
}): readonly LookupDefinition[] {
  const unique = Object.entries(options.unique ?? {}).map(([name, given]) => {
    const isShort = typeof given === 'string' || Array.isArray(given)
    return lookupOf('unique', name, (isShort ? { by: given } : given) as GivenLookup)
  })
  const lists = Object.entries(options.lists ?? {}).map(([name, given]) =>
    lookupOf('list', name, given as GivenLookup),
  )
  const twice = lists.find(({ name }) => unique.some((other) => other.name === name))
  if (twice)
    throw new InvalidOptionError(`lists.${twice.name}`, twice.name, 'a name that `unique` does not have')
  return Object.freeze([...unique, ...lists])
}

function lookupOf(kind: LookupDefinition['kind'], name: string, given: GivenLookup): LookupDefinition {
  const option = `${kind === 'unique' ? 'unique' : 'lists'}.${name}`
  // Names are part of keys and metric labels.
  if (!/^[A-Za-z]\w*$/.test(name))
    throw new InvalidOptionError(option, name, 'a name of letters, digits and "_", beginning with a letter')
  const {
    by,
    through,
    where = {},
    orderBy = [],
    limit,
    maxRows = defaultMaxRows,
    fold,
    caseSensitive,
  } = given
  const fields = typeof by === 'string' ? [by] : by
  const isNamed =
    Array.isArray(fields) && fields.length > 0 && fields.every((field) => typeof field === 'string')
  if (through === undefined && (!isNamed || new Set(fields).size < fields.length))
    throw new InvalidOptionError(`${option}.by`, by, 'a field, or a list of several different ones')
  if (limit !== undefined) assertPositive(`${option}.limit`, limit)
  assertPositive(`${option}.maxRows`, maxRows)
  if (fold !== undefined && fold !== 'case') throw new InvalidOptionError(`${option}.fold`, fold, "'case'")
  if (fold && caseSensitive)
    throw new InvalidOptionError(`${option}.fold`, fold, 'to stand without `caseSensitive`')
  return Object.freeze({
    name,
    kind,
    by: (fields ?? []) as string[],
    isCompound: Array.isArray(by),
    through: through as string | undefined,
    where: where as Record<string, unknown>,
    orderBy: (Array.isArray(orderBy) ? orderBy : [orderBy]) as Record<string, unknown>[],
    limit: limit as number | undefined,
    maxRows: maxRows as number,
    comparesText: fold ? 'without case' : caseSensitive ? 'exactly' : undefined,
  })
}

function assertPositive(option: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw new InvalidOptionError(option, value, 'a positive whole number')
}

/** A condition of `where`, with how the database compares the field. */
export type BoundCondition =
  | { readonly name: string; readonly is: 'null' | 'not null' }
  | {
      readonly name: string
      readonly is: 'one of'
      readonly field: KeyField
      readonly values: readonly unknown[]
    }

/** A lookup whose fields are known. */
export interface BoundLookup extends LookupDefinition {
  /** As Prisma takes it, one field per object; the last ones are those of the id. */
  readonly orderBy: readonly Readonly<Record<string, unknown>>[]
  readonly conditions: readonly BoundCondition[]
  readonly description: LookupDescription & {
    /** Of a relation: the id field of the rows at its other side. */
    readonly key: readonly KeyField[]
  }
}
