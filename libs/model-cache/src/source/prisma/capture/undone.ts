import { plainQuery, type Queryable, type SqlQuery } from './adapter.js'
import { abortsTransaction, breaksConstraint, violatesConstraint } from './write-end.js'

/** What has a statement that breaks a constraint keep a part of itself, or end its transaction: `OR FAIL`, `RAISE(ROLLBACK, …)`. */
const exception = /\b(?:FAIL|ROLLBACK)\b/i

const hasException = ['FAIL', 'ROLLBACK']
  .map((word) => `upper(sql) || ' ' GLOB '*[^A-Z0-9_]${word}[^A-Z0-9_]*'`)
  .join(' OR ')
/** Finds a table or a trigger whose text says so, and other files, whose texts are elsewhere. */
const exceptions = `SELECT 1 FROM sqlite_master WHERE ${hasException}
  UNION ALL SELECT 1 FROM sqlite_temp_master WHERE ${hasException}
  UNION ALL SELECT 1 FROM pragma_database_list WHERE name NOT IN ('main', 'temp') LIMIT 1`

/**
 * Whether the database has undone a statement with its error, so that its transaction commits nothing of it. Of MySQL and SQLite that is so
 * if it has broken a constraint, and for SQLite neither its text nor the schema says otherwise.
 */
export async function isUndone(
  error: unknown,
  { sql }: SqlQuery,
  provider: string,
  tx: Queryable,
): Promise<boolean> {
  if (abortsTransaction(error, provider)) return true
  if (provider === 'mysql') return violatesConstraint(error)
  if (provider !== 'sqlite' || !breaksConstraint(error) || exception.test(sql)) return false
  try {
    const { rows } = await tx.queryRaw(plainQuery(exceptions))
    return rows.length === 0
  } catch {
    return false
  }
}
