import type { Column } from './columns/column.js'
import type { DatabaseFacts } from './columns/database-facts.js'
import type { DecimalClass } from './columns/scalar-column.js'

/** SCHEMA FACTS. What the schema behind a source says of its models, whichever tool reads it. */
export interface SchemaFacts {
  /** The kind of database: `'postgresql'`, `'sqlite'` and so on. */
  readonly provider: string
  readonly models: Models
  /** The fields of a model that the client omits from all results: `{ passwordHash: true }`. */
  readonly omittedOf: (model: string) => Readonly<Record<string, unknown>> | undefined
  /** The class of the decimals that the client returns. */
  readonly Decimal: DecimalClass
  /** What the database says of its columns, which the schema does not show. */
  readonly database: DatabaseFacts
}

/** All models of the schema by name, including those that the client hides. */
export type Models = ReadonlyMap<string, Model>

export interface Model {
  readonly name: string
  /** Whether the schema calls it a `view`: its rows are those of tables that the schema does not show. */
  readonly isView: boolean
  /** Whether the client has the model. `@@ignore` hides it; the database still has it. */
  readonly isVisible: boolean
  /** The table that has its rows in the database. */
  readonly table: Table
  /** Empty if there is none. */
  readonly primaryKey: readonly string[]
  /**
   * The fields of each key that all rows have, by the name that it has in `where` of `findUnique`: `id`, or `orgId_slug`
   * for several fields.
   */
  readonly uniqueKeys: ReadonlyMap<string, readonly string[]>
  /** As {@link uniqueKeys}: the keys that rows lack in which a field is null. */
  readonly nullableKeys: ReadonlyMap<string, readonly string[]>
  /** The fields of each index of all rows, besides those of keys. */
  readonly indexes: readonly (readonly string[])[]
  /** The fields that the client has, without relations, in the order of the schema. */
  readonly scalars: ReadonlyMap<string, Column>
  /** The fields that the client lacks, without relations, by their columns: `@ignore` hides them, or `@@ignore` the model. */
  readonly hiddenFields: ReadonlyMap<string, string>
  readonly relations: ReadonlyMap<string, Relation>
  /** The relation fields that the client has, with their target models. Known even if {@link problem} is set. */
  readonly relationTargets: ReadonlyMap<string, string>
  /** Relations whose foreign keys point to this model. */
  readonly children: readonly Child[]
  /** Why the rows that its writes affect cannot be determined; undefined if they can. */
  readonly problem: string | undefined
}

/** A table by its names in the database. */
export interface Table {
  readonly schema: string
  readonly name: string
}

/** The schema and the name of a table as one text. */
export function tableKey({ name, schema }: Table): string {
  return JSON.stringify([schema, name])
}

/** A relation as seen from one of its two sides. */
export interface Relation {
  readonly field: string
  /** The model at the other side. */
  readonly target: string
  /** The field for this relation at the other side. */
  readonly targetField: string
  /** Which side has the foreign key; implicit many-to-many relations have a join table instead. */
  readonly keyHolder: 'this' | 'target' | 'join-table'
  /** Whether this side is a list of rows; otherwise it is one row. */
  readonly isList: boolean
  /** Whether there may be no row at the other side. */
  readonly isNullable: boolean
  /** The table of an implicit many-to-many relation, and the columns that have the keys of rows at the other side. */
  readonly joinTable: (Table & { readonly columns: readonly string[] }) | undefined
  /** The foreign key, if this side holds it. */
  readonly fields: readonly string[]
  /** The fields that the foreign key points to. */
  readonly references: readonly string[]
  /** The fields of this side that have the values of {@link targetKey} in rows which belong together; the id if there is a join table. */
  readonly ownKey: readonly string[]
  /** The fields of the other side, in the order of {@link ownKey}. With a join table, these are the fields of lists `through` it: the same. */
  readonly targetKey: readonly string[]
  readonly onDelete: ReferentialAction
  readonly onUpdate: ReferentialAction
  /** Whether the client has the relation. `@ignore` on either side or its model hides it; the database still has it. */
  readonly isVisible: boolean
}

/** What the database does to rows when their parent is deleted or its key changes. */
export type ReferentialAction = 'Cascade' | 'Restrict' | 'NoAction' | 'SetNull' | 'SetDefault'

export interface Child {
  readonly model: string
  readonly relation: Relation
}
