import type { Table } from 'model-cache/internal'

/**
 * What a statement in the log does: `'none'` changes no row, `'commit'` ends a transaction, `'own'` changes rows of the service that runs the
 * server, `'definition'` changes the tables that it names, and `'unknown'` may have changed any row.
 */
export type StatementKind = 'none' | 'commit' | 'own' | 'definition' | 'unknown'

/** Statements of which the log has the text instead of the rows that they changed. */
export function statementKind(text: string): StatementKind {
  const words = withoutComments(text).toUpperCase()
  if (
    /^(BEGIN|START TRANSACTION|SAVEPOINT\b.*|ROLLBACK TO\b.*|RELEASE SAVEPOINT\b.*|XA (START|BEGIN|END)\b.*)$/s.test(
      words,
    )
  )
    return 'none'
  if (/^(COMMIT|ROLLBACK|XA (PREPARE|ROLLBACK)\b.*)$/s.test(words)) return 'commit'
  if (ofService.test(words)) return 'own'
  const isDefinition = definitions.test(words) && !withStatement.some((pattern) => pattern.test(words))
  return isDefinition ? 'definition' : 'unknown'
}

/**
 * Amazon RDS logs what it writes for itself, every five minutes and more often, as statements, whatever `binlog_format` says. Nobody else may
 * write these tables, and tables of this schema have no triggers.
 */
const ofService = /^(INSERT INTO|DELETE FROM) MYSQL\.RDS_\w/
const definitions =
  /^(CREATE|ALTER|DROP|TRUNCATE|RENAME|GRANT|REVOKE|ANALYZE|OPTIMIZE|REPAIR|CHECK|FLUSH|INSTALL|UNINSTALL|SET)\b/
/**
 * Statements that run another one, or functions of one: `SET STATEMENT … FOR`, and where statements are logged instead of rows, `ANALYZE
 * UPDATE` of MariaDB and `CREATE TABLE … SELECT`.
 */
const withStatement = [
  /^SET\s+STATEMENT\b/,
  /^ANALYZE\s(?!\s*((NO_WRITE_TO_BINLOG|LOCAL)\s+)?TABLES?\b)/,
  /^CREATE\s+(OR\s+REPLACE\s+)?(TEMPORARY\s+)?TABLE\b.*\b(SELECT\b|VALUES\s*\()/s,
]

/** Whether a statement may change which tables and foreign keys there are, also as a part of another one: `SET STATEMENT … FOR ALTER TABLE`. */
export const mayDefine = (text: string): boolean => /\b(CREATE|ALTER|DROP|RENAME|TRUNCATE)\b/i.test(text)

/**
 * Whether a statement names a table, or drops all tables of its database.
 *
 * @param schema the database in which the statement was run
 */
export function names(text: string, schema: string, table: Table): boolean {
  const lower = text.toLowerCase()
  const isOther = schema.toLowerCase() !== table.schema.toLowerCase()
  if (isOther && !mentions(lower, table.schema)) return false
  return /^drop\s+(database|schema)\b/.test(withoutComments(lower)) || mentions(lower, table.name)
}

/** Quoted or not. A name with other letters may be written in another character set. */
function mentions(text: string, name: string): boolean {
  const lower = name.toLowerCase()
  return !/^[ -~]*$/.test(lower) || text.includes(lower.replaceAll('`', '``')) || text.includes(lower)
}

/** Leaves out comments in front, but not those whose content is executed. */
function withoutComments(text: string): string {
  return text.replace(/^(\s+|\/\*(?!M?!).*?\*\/|(--\s|#)[^\n]*\n)+/s, '').trimEnd()
}
