/** A table by its names in the database. */
export interface TableName {
  readonly schema: string
  readonly name: string
}

/** Where the database has the rows of a model. */
export interface TableDescription extends TableName {
  readonly model: string
  /** Those of the id and of all that lookups compare; empty for a model that the rows depend on. */
  readonly columns: readonly ColumnDescription[]
  /** Whether it is the table of an implicit many-to-many relation to the model. */
  readonly isJoin?: boolean
}

export interface ColumnDescription {
  readonly field: string
  /** Undefined for a field that no column has. */
  readonly column: string | undefined
  /** Equal for columns whose values all writers spell alike. */
  readonly type: string
  /** Of an enum whose values have other names in the database: the value of the row by that name. */
  readonly values?: Readonly<Record<string, string>>
}

/** The table of an implicit many-to-many relation of a lookup. */
export interface JoinDescription extends TableName {
  readonly relation: string
  /** The columns that may have the key of the row at the other side. */
  readonly columns: readonly string[]
  /** The table at the other side, and the key of its rows. */
  readonly target: TableName
  readonly key: ColumnDescription
}

/** What writers, and a follower of the database's log, need to know of the tables of a cache. */
export interface TableDescriptions {
  /** The kind of database. */
  readonly provider: string
  /** That of the rows, then those that they depend on. */
  readonly models: readonly TableDescription[]
  readonly joins: readonly JoinDescription[]
}

/** The tables that a writer writes to, by the names of its models. */
export interface WriterSchema {
  /** Whether the database takes names for equal that differ in case. */
  readonly ignoresCase: boolean
  readonly models: ReadonlyMap<string, WriterTable>
}

/** The table of a model with all of its columns, and those of its implicit many-to-many relations. */
export interface WriterTable extends TableDescription {
  readonly joins: readonly JoinDescription[]
}

/** The schema and the name of a table as one text. */
export function tableKey({ name, schema }: TableName): string {
  return JSON.stringify([schema, name])
}

/** Returns the descriptions as part of an entry of the catalogue. */
export function tablesToJson(tables: TableDescriptions | undefined): unknown {
  if (!tables) return null
  return {
    provider: tables.provider,
    models: tables.models.map((table) => ({
      model: table.model,
      table: tableToJson(table),
      columns: table.columns.map(columnToJson),
      ...(table.isJoin && { isJoin: true }),
    })),
    joins: tables.joins.map((join) => ({
      relation: join.relation,
      table: tableToJson(join),
      columns: join.columns,
      target: tableToJson(join.target),
      key: columnToJson(join.key),
    })),
  }
}

function tableToJson({ name, schema }: TableName): readonly string[] {
  return [schema, name]
}

function columnToJson({ column, field, type, values }: ColumnDescription): unknown {
  return [field, column ?? null, type, ...(values ? [values] : [])]
}

/** Parses descriptions; undefined if there are none, or this version does not understand them. */
export function tablesFromJson(json: unknown): TableDescriptions | undefined {
  const { joins, models, provider } = Object(json) as Record<string, unknown>
  if (typeof provider !== 'string' || !Array.isArray(models) || !Array.isArray(joins)) return undefined
  const tables = models.map(tableFromJson)
  const joined = joins.map(joinFromJson)
  if (tables.length === 0 || tables.includes(undefined) || joined.includes(undefined)) return undefined
  return { provider, models: tables as TableDescription[], joins: joined as JoinDescription[] }
}

function tableFromJson(json: unknown): TableDescription | undefined {
  const { columns, isJoin, model, table } = Object(json) as Record<string, unknown>
  if (typeof model !== 'string' || !isTable(table) || !Array.isArray(columns)) return undefined
  if (isJoin !== undefined && isJoin !== true) return undefined
  const described = columns.map(columnFromJson)
  if (described.includes(undefined)) return undefined
  return { model, ...tableOf(table), columns: described as ColumnDescription[], ...(isJoin && { isJoin }) }
}

function columnFromJson(json: unknown): ColumnDescription | undefined {
  if (!Array.isArray(json)) return undefined
  const [field, column, type, values] = json as unknown[]
  if (typeof field !== 'string' || typeof type !== 'string') return undefined
  if (typeof column !== 'string' && column !== null) return undefined
  const described = { field, column: column ?? undefined, type }
  if (values === undefined) return described
  return isTextByText(values) ? { ...described, values } : undefined
}

function joinFromJson(json: unknown): JoinDescription | undefined {
  const { columns, key: keyJson, relation, table, target } = Object(json) as Record<string, unknown>
  const key = columnFromJson(keyJson)
  if (typeof relation !== 'string' || !isTable(table) || !isTable(target) || !key) return undefined
  if (!Array.isArray(columns) || !columns.every((column) => typeof column === 'string')) return undefined
  return { relation, ...tableOf(table), columns, target: tableOf(target), key }
}

function tableOf([schema, name]: [schema: string, name: string]): TableName {
  return { schema, name }
}

function isTable(json: unknown): json is [schema: string, name: string] {
  return Array.isArray(json) && typeof json[0] === 'string' && typeof json[1] === 'string'
}

function isTextByText(json: unknown): json is Record<string, string> {
  return typeof json === 'object' && json !== null && Object.values(json).every((x) => typeof x === 'string')
}
