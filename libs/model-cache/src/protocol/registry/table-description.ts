import type { FieldColumn, JoinTable, ModelTable, Tables } from '../../source/tables.js'
import type { Table } from '../../source/schema-facts.js'

/** The schema and the name of a table as one text. */
export function tableKey({ name, schema }: Table): string {
  return JSON.stringify([schema, name])
}

/** Returns the descriptions as part of an entry of the catalogue. */
export function tablesToJson(tables: Tables | undefined): unknown {
  if (!tables) return null
  return {
    provider: tables.provider,
    models: tables.models.map((table) => ({
      model: table.model,
      table: tableToJson(table),
      columns: table.columns.map(columnToJson),
      ...(table.isJoin && { isJoin: true }),
      ...(table.isAlias && { isAlias: true }),
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

function tableToJson({ name, schema }: Table): readonly string[] {
  return [schema, name]
}

function columnToJson({ column, field, type, values }: FieldColumn): unknown {
  return [field, column ?? null, type, ...(values ? [values] : [])]
}

/** Parses descriptions; undefined if there are none, or this version does not understand them. */
export function tablesFromJson(json: unknown): Tables | undefined {
  const { joins, models, provider } = Object(json) as Record<string, unknown>
  if (typeof provider !== 'string' || !Array.isArray(models) || !Array.isArray(joins)) return undefined
  const tables = models.map(tableFromJson)
  const joined = joins.map(joinFromJson)
  if (tables.length === 0 || tables.includes(undefined) || joined.includes(undefined)) return undefined
  return { provider, models: tables as ModelTable[], joins: joined as JoinTable[] }
}

function tableFromJson(json: unknown): ModelTable | undefined {
  const { columns, isAlias, isJoin, model, table } = Object(json) as Record<string, unknown>
  if (typeof model !== 'string' || !isTable(table) || !Array.isArray(columns)) return undefined
  if ([isAlias, isJoin].some((is) => is !== undefined && is !== true)) return undefined
  const described = columns.map(columnFromJson)
  if (described.includes(undefined)) return undefined
  return {
    model,
    ...tableOf(table),
    columns: described as FieldColumn[],
    ...(isJoin === true && { isJoin }),
    ...(isAlias === true && { isAlias }),
  }
}

function columnFromJson(json: unknown): FieldColumn | undefined {
  if (!Array.isArray(json)) return undefined
  const [field, column, type, values] = json as unknown[]
  if (typeof field !== 'string' || typeof type !== 'string') return undefined
  if (typeof column !== 'string' && column !== null) return undefined
  const described = { field, column: column ?? undefined, type }
  if (values === undefined) return described
  return isTextByText(values) ? { ...described, values } : undefined
}

function joinFromJson(json: unknown): JoinTable | undefined {
  const { columns, key: keyJson, relation, table, target } = Object(json) as Record<string, unknown>
  const key = columnFromJson(keyJson)
  if (typeof relation !== 'string' || !isTable(table) || !isTable(target) || !key) return undefined
  if (!Array.isArray(columns) || !columns.every((column) => typeof column === 'string')) return undefined
  return { relation, ...tableOf(table), columns, target: tableOf(target), key }
}

function tableOf([schema, name]: [schema: string, name: string]): Table {
  return { schema, name }
}

function isTable(json: unknown): json is [schema: string, name: string] {
  return Array.isArray(json) && typeof json[0] === 'string' && typeof json[1] === 'string'
}

function isTextByText(json: unknown): json is Record<string, string> {
  return typeof json === 'object' && json !== null && Object.values(json).every((x) => typeof x === 'string')
}
