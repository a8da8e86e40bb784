/** Where the database has the rows of a model. Names are those of the database. */
export interface TableDescription {
  readonly model: string
  readonly schema: string
  readonly name: string
  /** Those of the id and of the keys of lookups; empty for a model that the rows depend on. */
  readonly columns: readonly ColumnDescription[]
}

export interface ColumnDescription {
  readonly field: string
  readonly column: string
  /** Of an enum whose values have other names in the database: the value of the row by that name. */
  readonly values?: Readonly<Record<string, string>>
}

/** The table of an implicit many-to-many relation of a lookup. */
export interface JoinDescription {
  readonly relation: string
  readonly schema: string
  readonly name: string
  /** The columns that may have the key of the row at the other side. */
  readonly columns: readonly string[]
}

/** What a follower of the database's log needs to know of a cache. */
export interface TableDescriptions {
  readonly models: readonly TableDescription[]
  readonly joins: readonly JoinDescription[]
}

/** Returns the descriptions as part of an entry of the catalogue. */
export function tablesToJson(tables: TableDescriptions | undefined): unknown {
  if (!tables) return null
  return {
    models: tables.models.map(({ columns, model, name, schema }) => ({
      model,
      table: [schema, name],
      columns: columns.map(({ column, field, values }) => [field, column, ...(values ? [values] : [])]),
    })),
    joins: tables.joins.map(({ columns, name, relation, schema }) => ({
      relation,
      table: [schema, name],
      columns,
    })),
  }
}

/** Parses descriptions; undefined if there are none, or this version cannot follow them. */
export function tablesFromJson(json: unknown): TableDescriptions | undefined {
  const { joins, models } = Object(json) as Record<string, unknown>
  if (!Array.isArray(models) || !Array.isArray(joins)) return undefined
  const tables = models.map(tableFromJson)
  const joined = joins.map(joinFromJson)
  if (tables.includes(undefined) || joined.includes(undefined)) return undefined
  return { models: tables as TableDescription[], joins: joined as JoinDescription[] }
}

function tableFromJson(json: unknown): TableDescription | undefined {
  const { columns, model, table } = Object(json) as Record<string, unknown>
  if (typeof model !== 'string' || !isTable(table) || !Array.isArray(columns)) return undefined
  const described = columns.map(columnFromJson)
  if (described.includes(undefined)) return undefined
  return { model, schema: table[0], name: table[1], columns: described as ColumnDescription[] }
}

function columnFromJson(json: unknown): ColumnDescription | undefined {
  if (!Array.isArray(json)) return undefined
  const [field, column, values] = json as unknown[]
  if (typeof field !== 'string' || typeof column !== 'string') return undefined
  if (values === undefined) return { field, column }
  return isTextByText(values) ? { field, column, values } : undefined
}

function joinFromJson(json: unknown): JoinDescription | undefined {
  const { columns, relation, table } = Object(json) as Record<string, unknown>
  if (typeof relation !== 'string' || !isTable(table) || !Array.isArray(columns)) return undefined
  if (!columns.every((column) => typeof column === 'string')) return undefined
  return { relation, schema: table[0], name: table[1], columns }
}

function isTable(json: unknown): json is [schema: string, name: string] {
  return Array.isArray(json) && typeof json[0] === 'string' && typeof json[1] === 'string'
}

function isTextByText(json: unknown): json is Record<string, string> {
  return typeof json === 'object' && json !== null && Object.values(json).every((x) => typeof x === 'string')
}
