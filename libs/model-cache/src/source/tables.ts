import type { Model, SchemaFacts, Table } from './schema-facts.js'

/** Where the database has the rows of a model, and some of their fields. */
export interface ModelTable extends Table {
  readonly model: string
  readonly columns: readonly FieldColumn[]
}

export interface FieldColumn {
  readonly field: string
  readonly column: string
  /** Of an enum whose values have other names in the database: the value of the client by that name. */
  readonly values?: Readonly<Record<string, string>>
}

/** The table of an implicit many-to-many relation, as seen from one of its sides. */
export interface JoinTable extends Table {
  /** The relation field of the model. */
  readonly relation: string
  /** The columns that have the keys of rows at the other side. */
  readonly columns: readonly string[]
}

/** What a follower of the database's log needs to know of the rows of a cache. */
export interface Tables {
  /** That of the rows, then those of the models that they depend on, without columns. */
  readonly models: readonly ModelTable[]
  readonly joins: readonly JoinTable[]
}

/** What of a cache is described. */
export interface DescribedRows {
  readonly model: string
  readonly dependsOn: readonly string[]
  /** The fields that identify a row, or tell which lookups it is in. */
  readonly fields: readonly string[]
  /** The implicit many-to-many relations of its lookups. */
  readonly relations: readonly string[]
}

/**
 * Returns the tables of a cache; undefined if one of them is unknown, such as that of a model that the client hides, or the database is
 * not PostgreSQL.
 */
export function tablesOf(
  { models, provider }: SchemaFacts,
  { dependsOn, fields, model: name, relations }: DescribedRows,
): Tables | undefined {
  const model = models.get(name)
  const own = model && tableOf(model, fields)
  const others = dependsOn.map((other) => tableOf(models.get(other), []))
  const joins = relations.map((relation) => {
    const table = model?.relations.get(relation)?.joinTable
    return table && { relation, ...table }
  })
  const isPostgres = provider === 'postgresql' || provider === 'postgres'
  if (!isPostgres || !own || !others.every(isKnown) || !joins.every(isKnown)) return undefined
  return { models: [own, ...others], joins }
}

function tableOf(model: Model | undefined, fields: readonly string[]): ModelTable | undefined {
  const columns = fields.map((field) => columnOf(model, field))
  if (!model?.table || !columns.every(isKnown)) return undefined
  return { model: model.name, ...model.table, columns }
}

function columnOf(model: Model | undefined, field: string): FieldColumn | undefined {
  const scalar = model?.scalars.get(field)
  if (!scalar) return undefined
  const { column, databaseValues } = scalar
  const renamed = [...(databaseValues ?? [])].filter(([name, value]) => name !== value)
  if (renamed.length === 0) return { field, column }
  return {
    field,
    column,
    values: Object.fromEntries([...databaseValues!].map(([name, value]) => [value, name])),
  }
}

function isKnown<T>(value: T | undefined): value is T {
  return value !== undefined
}
