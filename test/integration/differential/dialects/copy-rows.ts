import type { TestDatabase } from '../../../support/test-database.ts'

interface Column {
  readonly schema: string
  readonly table: string
  readonly name: string
  readonly type: string
}

/** Types that only PostgreSQL has, whose columns other databases lack. */
const missing = new Set(['ARRAY', 'tsvector'])

/** How a database of another kind writes things. */
export interface Writing {
  /** Puts a name in quotes. */
  readonly quote: (name: string) => string
  /** @param text of a date, or of a time without its zone */
  readonly moment?: (text: string) => string
  /** @default `'INSERT INTO'` */
  readonly insert?: string
  /** Tables that the database lacks. */
  readonly leftOut?: readonly string[]
}

/**
 * Returns a script that gives a database of another kind the rows of one of PostgreSQL, instead of all that it has.
 */
export async function copyRows(
  source: TestDatabase,
  { quote, moment = (text) => text, insert = 'INSERT INTO', leftOut = [] }: Writing,
): Promise<string> {
  const columns = await source.rows<Column>(
    `SELECT c.table_schema AS schema, c.table_name AS table, c.column_name AS name, c.data_type AS type
      FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema IN ('public', 'archive') AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.ordinal_position`,
  )
  const tables = Map.groupBy(
    columns.filter(({ table, type }) => !missing.has(type) && !leftOut.includes(table)),
    ({ table }) => table,
  )
  const statements: string[] = []
  for (const [table, all] of tables) {
    const texts = all.map(
      ({ name, type }, i) => `"${name}"${type === 'money' ? '::numeric' : ''}::text AS "${i}"`,
    )
    const rows = await source.rows<Record<string, string | null>>(
      `SELECT ${texts.join(', ')} FROM "${all[0]!.schema}"."${table}" ORDER BY ctid`,
    )
    const names = all.map(({ name }) => quote(name)).join(', ')
    const values = rows.map(
      (row) => `(${all.map(({ type }, i) => literalOf(type, row[i]!, moment)).join(', ')})`,
    )
    statements.push(`DELETE FROM ${quote(table)};`)
    if (values.length > 0)
      statements.push(`${insert} ${quote(table)} (${names}) VALUES ${values.join(', ')};`)
  }
  return statements.join('\n')
}

function literalOf(type: string, text: string | null, moment: NonNullable<Writing['moment']>): string {
  if (text === null) return 'NULL'
  // Others have no such numbers.
  if (/^(?:NaN|-?Infinity)$/.test(text)) return '0'
  if (/^(?:smallint|integer|bigint|numeric|money|oid|double precision|real)$/.test(type)) return text
  if (type === 'boolean') return text === 'true' || text === 't' ? '1' : '0'
  if (type === 'bytea') return `X'${text.slice(2)}'`
  // Nor such dates: they have no infinity, and not those years.
  if (/^(?:timestamp|date)/.test(type) && /infinity| BC$|^\d{5}/.test(text)) return 'NULL'
  // The server's zone is UTC.
  const value = /^(?:timestamp|date|time)/.test(type) ? moment(momentIn(type, text)) : text
  return `'${value.replaceAll("'", "''")}'`
}

function momentIn(type: string, text: string): string {
  const withoutZone = text.replace(/[+-]\d\d(?::\d\d)?$/, '')
  if (type === 'date') return text
  // No day has an hour 24 elsewhere.
  return withoutZone.replace(/^24/, '23')
}
