import type { Column } from './columns/column.js'
import type { SharedRows, SharedTables } from './shared-tables.js'
import {
  type Model,
  type Models,
  type Relation,
  type SchemaFacts,
  type Table,
  tableKey,
} from './schema-facts.js'

/** Where the database has the rows of a model, and some of their fields. */
export interface ModelTable extends Table {
  readonly model: string
  readonly columns: readonly FieldColumn[]
  /** Whether the table is that of an implicit many-to-many relation to the model. */
  readonly isJoin?: boolean
  /** Whether it is another name of rows that the other tables have: a view, a partition. The log of the database has no changes of it. */
  readonly isAlias?: boolean
}

export interface FieldColumn {
  readonly field: string
  /** Undefined for a field that the model lacks, as a `load` computes it. */
  readonly column: string | undefined
  /** Equal for columns whose values all clients spell alike. */
  readonly type: string
  /** The value of the client by its name in the database, for an enum whose values have other names there. */
  readonly values?: Readonly<Record<string, string>>
}

/** The table of an implicit many-to-many relation, as seen from one of its sides. */
export interface JoinTable extends Table {
  /** The relation field of the model. */
  readonly relation: string
  /** The columns that have the keys of rows at the other side. */
  readonly columns: readonly string[]
  /** The table at the other side, and the key of its rows. */
  readonly target: Table
  readonly key: FieldColumn
}

/** What writers in other processes, and a follower of the database's log, need to know of the rows of a cache. */
export interface Tables {
  /** The kind of database. */
  readonly provider: string
  /**
   * The table of the rows, then others that have them, with the same columns; then, without columns, the tables of models that the rows depend
   * on, and those that views read.
   */
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
  /** Whether rows are read together with those of any relation. @default with those of relations between these models */
  readonly readsRelations?: boolean
}

/** The tables that a client writes to, by its models. */
export interface WriterSchema {
  /** Whether the database takes names for equal that differ in case. */
  readonly ignoresCase: boolean
  readonly models: ReadonlyMap<string, WriterTable>
}

/** The table of a model with all of its columns, and those of its implicit many-to-many relations. */
export interface WriterTable extends ModelTable {
  readonly joins: readonly JoinTable[]
  /** Whose rows its rows are, if they are those of other tables; `'unknown'` if they may be those of any. */
  readonly shared?: SharedRows | 'unknown' | undefined
}

/** Returns the tables of a cache; undefined if one of its models or relations is not in the schema. */
export function tablesOf(
  { models, provider }: SchemaFacts,
  { dependsOn, fields, model: name, readsRelations, relations }: DescribedRows,
): Tables | undefined {
  const model = models.get(name)
  const others = dependsOn.map((other) => models.get(other))
  if (!model || !others.every(isKnown)) return undefined
  const joins = relations.map((relation) => joinTableOf(models, model.relations.get(relation)))
  if (!joins.every(isKnown)) return undefined
  const columns = fields.map((field) => describedColumn(field, model.scalars.get(field)))
  const tables = others.map((other) => ({ model: other.name, ...other.table, columns: [] }))
  return {
    provider,
    models: [
      { model: name, ...model.table, columns },
      ...tables,
      ...joinTablesIn(models, [model, ...others], readsRelations),
    ],
    joins,
  }
}

/**
 * Adds the tables that have the rows of the given ones under other names.
 *
 * @param acceptsStale whether rows may be outdated that writes to the tables of a view have changed
 */
export function withSharedTables(tables: Tables, shared: SharedTables, acceptsStale: boolean): Tables {
  const own = tables.models[0]!
  const known = new Set([...tables.models, ...tables.joins].map(tableKey))
  const models: ModelTable[] = []
  const added: ModelTable[] = []
  const add = (one: ModelTable, { kind, tables: others }: SharedRows): void => {
    if (kind === 'view' && acceptsStale) return
    for (const { name, schema } of others) {
      if (known.has(tableKey({ name, schema }))) continue
      known.add(tableKey({ name, schema }))
      const columns = kind === 'view' ? [] : one.columns
      added.push({ model: one.model, schema, name, columns, ...(kind === 'child' && { isAlias: true }) })
    }
  }
  for (const model of tables.models) {
    const rows = shared.of(model)
    models.push(rows && rows.kind !== 'child' ? { ...model, isAlias: true } : model)
    if (rows) add(model, rows)
  }
  for (const { target, ...join } of tables.joins) {
    for (const place of [join, target]) {
      const rows = shared.of(place)
      if (rows) add({ ...place, model: own.model, columns: [] }, rows)
    }
  }
  return { ...tables, models: [...models, ...added] }
}

/** Whether a database takes names for equal that differ in case; of MySQL, whether it may. Its columns are equal in any case. */
export function ignoresCaseOf(provider: string): boolean {
  return !caseSensitive.has(provider)
}

/** Equal for names that a database takes, or may take, for equal. */
export function foldedName(name: string, provider: string): string {
  return ignoresCaseOf(provider) ? name.toLowerCase() : name
}

/**
 * Returns the tables that a client writes to.
 *
 * @param shared which of them share rows, or that this is unknown. @default none do
 */
export function writerSchemaOf(
  { models, provider }: SchemaFacts,
  shared?: SharedTables | 'unknown',
): WriterSchema {
  const tables = [...models.values()].map((model): [string, WriterTable] => {
    const columns = [...model.scalars].map(([field, scalar]) => describedColumn(field, scalar))
    const joins = [...model.relations.values()].map((relation) => joinTableOf(models, relation))
    const rows = shared === 'unknown' ? shared : shared?.of(model.table)
    return [
      model.name,
      {
        model: model.name,
        ...model.table,
        columns,
        joins: joins.filter(isKnown),
        shared: rows !== 'unknown' && rows?.isOpaque ? 'unknown' : rows,
      },
    ]
  })
  return { ignoresCase: ignoresCaseOf(provider), models: new Map(tables) }
}

const caseSensitive = new Set(['postgresql', 'postgres', 'cockroachdb'])

/**
 * The tables of the implicit many-to-many relations between models: rows that embed one another change with them.
 *
 * @param areAll whether also of relations to other models
 */
function joinTablesIn(
  models: Models,
  [own, ...others]: readonly [Model, ...Model[]],
  areAll = false,
): readonly ModelTable[] {
  const names = [own.name, ...others.map(({ name }) => name)]
  const found = new Map<string, ModelTable>()
  for (const { name: model, relations } of others) {
    for (const relation of relations.values()) {
      const table = areAll || names.includes(relation.target) ? joinTableOf(models, relation) : undefined
      if (table) {
        const { name, schema } = table
        found.set(tableKey(table), { model, schema, name, columns: [], isJoin: true })
      }
    }
  }
  return [...found.values()]
}

function joinTableOf(models: Models, relation: Relation | undefined): JoinTable | undefined {
  const target = relation?.joinTable && models.get(relation.target)
  const [key] = target?.primaryKey ?? []
  if (!target || key === undefined) return undefined
  const { field, joinTable } = relation
  return {
    relation: field,
    ...joinTable!,
    target: target.table,
    key: describedColumn(key, target.scalars.get(key)),
  }
}

function describedColumn(field: string, scalar: Column | undefined): FieldColumn {
  if (!scalar) return { field, column: undefined, type: '' }
  const { column, databaseValues } = scalar
  const described = { field, column, type: typeOf(scalar) }
  const renamed = [...(databaseValues ?? [])].filter(([name, value]) => name !== value)
  if (renamed.length === 0) return described
  return {
    ...described,
    values: Object.fromEntries([...databaseValues!].map(([name, value]) => [value, name])),
  }
}

/** Native types decide how the database spells text, and how exact dates are. */
function typeOf({ isList, keepsText, nativeArguments, nativeType, type }: Column): string {
  const isPlain = type === 'String' ? keepsText : type !== 'DateTime' || nativeType === undefined
  const native = isPlain ? '' : ` ${nativeType}(${nativeArguments.join()})`
  return type + (isList ? '[]' : '') + native
}

function isKnown<T>(value: T | undefined): value is T {
  return value !== undefined
}
