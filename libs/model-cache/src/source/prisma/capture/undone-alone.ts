import { plainQuery, type Queryable, type SqlQuery } from './adapter.js'
import { breaksConstraint } from './write-end.js'

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
 * Whether SQLite has undone a statement with its error, and its transaction goes on as if it had not been sent. That is so if it has broken a
 * constraint, and neither its text nor the schema says otherwise.
 */
export async function isUndoneAlone(
  error: unknown,
  { sql }: SqlQuery,
  provider: string,
  tx: Queryable,
): Promise<boolean> {
  if (provider !== 'sqlite' || !breaksConstraint(error) || exception.test(sql)) return false
  try {
    const { rows } = await tx.queryRaw(plainQuery(exceptions))
    return rows.length === 0
  } catch {
    return false
  }
}
