import type { KeyField, LookupDescription } from '../../protocol/index.js'

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
  /** The database compares the text of the key without case. Databases that may do so by default need this or `caseSensitive`. */
  readonly fold?: 'case'
  /** The columns of the key have a collation that distinguishes case. */
  readonly caseSensitive?: true
}

/** A unique key of the model, by which `cache.getBy` reads rows as `cache.get` does by their id. */
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
  /**
   * As in Prisma. The library adds the id as the last member, so that equal rows have the same order in each read. Without it, a list
   * keeps the order in which the database returned its rows when it was loaded, as a query without `orderBy` does. SQL promises none,
   * and the next load may return another. Name one if people see it.
   * @default the order of the database; with `limit`, the id
   */
  readonly orderBy?: ListOrder<Row> | readonly ListOrder<Row>[]
  /** The list ends after this many rows, 10,000 at most. @default all rows */
  readonly limit?: number
  /**
   * If a list without `limit` has more rows, the database answers it each time, and a metric counts it. 10,000 at most.
   * @default 1_000
   */
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
  /** The order of the rows as Prisma takes it, without the id. */
  readonly orderBy: readonly Readonly<Record<string, unknown>>[]
  readonly limit: number | undefined
  readonly maxRows: number
  readonly comparesText: 'without case' | 'exactly' | undefined
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
  /** As Prisma takes it, one field per object; the last ones are those of the id. Empty for the order of the database. */
  readonly orderBy: readonly Readonly<Record<string, unknown>>[]
  readonly conditions: readonly BoundCondition[]
  /** The fields that determine the place of a row in a list, besides its id. */
  readonly orderedBy: readonly string[]
  readonly description: LookupDescription & {
    /** The fields of the key; for a relation, the id field of the rows at its other side. */
    readonly key: readonly KeyField[]
  }
}
