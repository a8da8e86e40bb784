import { familyOf } from '../../columns/column-kinds.js'
import type { Column } from '../../columns/column.js'
import type { Model, Table } from '../../schema-facts.js'
import type { SqlToken } from './sql-tokens.js'
import { parameterFor, type StoredRow } from './values.js'

/** How many parameters a statement may have in each database. */
const mostParameters = 32_000

/** A part of a statement with its parameters. */
export interface Part {
  readonly sql: string
  readonly args: readonly unknown[]
  readonly argTypes: readonly unknown[]
}

export function quoteName(name: string, provider: string): string {
  return provider === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** The name of a table as Prisma writes it. */
export function tableInSql({ name, schema }: Table, provider: string): string {
  const own = quoteName(name, provider)
  // The schema of tables that name none is that of the connection.
  const isNamed = familyOf(provider) === 'postgresql' || (provider === 'mysql' && schema !== 'public')
  return isNamed && schema !== '' ? `${quoteName(schema, provider)}.${own}` : own
}

/** A column as Prisma selects it. */
export function selected({ column, type }: Column, provider: string): string {
  const name = quoteName(column, provider)
  return type === 'Enum' && familyOf(provider) === 'postgresql' ? `${name}::text` : name
}

/**
 * A condition for the rows that have in these fields what others have in theirs. Undefined if a value is not known, as the client hides its
 * field, or cannot be a parameter; null if there are no such rows.
 */
export function rowsWith(
  { scalars }: Model,
  fields: readonly string[],
  rows: readonly StoredRow[],
  others: readonly string[],
  provider: string,
): Part | null | undefined {
  const known = new Map<string, StoredRow>()
  for (const row of rows) {
    if (others.some((field) => row[field] === undefined)) return undefined
    // Nothing is equal to null.
    if (others.some((field) => row[field] === null)) continue
    known.set(JSON.stringify(others.map((field) => row[field])), row)
  }
  if (known.size === 0) return null
  if (known.size * fields.length > mostParameters) return undefined
  const args: unknown[] = []
  const argTypes: unknown[] = []
  const lists: string[] = []
  for (const row of known.values()) {
    const names: string[] = []
    for (const [i, field] of fields.entries()) {
      const scalar = scalars.get(field)
      const found = scalar && parameterFor(scalar, row[others[i]!], provider)
      if (!found) return undefined
      args.push(found.arg)
      argTypes.push(found.argType)
      names.push(familyOf(provider) === 'postgresql' ? `$${args.length}` : '?')
    }
    lists.push(fields.length > 1 ? `(${names.join(', ')})` : names[0]!)
  }
  const columns = fields.map((field) => quoteName(scalars.get(field)!.column, provider))
  const isSqlite = provider === 'sqlite' && fields.length > 1
  const list = isSqlite ? `VALUES ${lists.join(', ')}` : lists.join(', ')
  const left = fields.length > 1 ? `(${columns.join(', ')})` : columns[0]!
  return { sql: `${left} IN (${list})`, args, argTypes }
}

/** A part of a statement, whose parameters count from 1 again. One that it has twice stays one, whose type one place may show. */
export function partOf({ args, argTypes, sql }: Part, tokens: readonly SqlToken[]): Part {
  const own: unknown[] = []
  const ownTypes: unknown[] = []
  const numbers = new Map<number, number>()
  let text = ''
  let end = tokens[0]?.start ?? 0
  for (const token of tokens) {
    text += sql.slice(end, token.start)
    end = token.end
    const { parameter } = token
    const isNumbered = token.text.startsWith('$')
    const known = parameter !== undefined && isNumbered ? numbers.get(parameter) : undefined
    if (parameter !== undefined && known === undefined) {
      own.push(args[parameter - 1])
      ownTypes.push(argTypes[parameter - 1])
      numbers.set(parameter, own.length)
    }
    text += parameter === undefined ? token.text : isNumbered ? `$${known ?? own.length}` : '?'
  }
  return { sql: text, args: own, argTypes: ownTypes }
}

/** The SQL of `$queryRaw`, which is an object, or of `$queryRawUnsafe`, which is the first of a list. */
export function rawSqlOf(args: unknown): string {
  const [first = args] = Array.isArray(args) ? (args as unknown[]) : []
  const { sql } = Object(first) as { sql?: unknown }
  return String(typeof first === 'string' ? first : sql)
}
