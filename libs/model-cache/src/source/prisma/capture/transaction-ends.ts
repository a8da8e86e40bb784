import { familyOf } from '../../columns/column-kinds.js'
import { split, type SqlToken } from './sql-tokens.js'

const ends = /^(?:COMMIT|END|ROLLBACK|ABORT|PREPARE)$/i
/** All other statements of MySQL may commit what is written before them. */
const staysInMysql =
  /^(?:\(|SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VALUES|TABLE|DO|SET|SHOW|EXPLAIN|DESC|DESCRIBE|SAVEPOINT|RELEASE|USE|KILL)$/i

/**
 * Whether a statement may end the transaction that it is sent in, so that the database commits each further one at once. PostgreSQL and
 * SQLite end it by COMMIT and ROLLBACK only, MySQL commits it with most that is not about rows.
 */
export function mayEndTransaction(tokens: readonly SqlToken[], provider: string): boolean {
  return split(tokens, 0, ';').some((each) => mayEnd(each, provider))
}

function mayEnd(tokens: readonly SqlToken[], provider: string): boolean {
  const [first] = tokens
  if (!first) return false
  const has = (word: RegExp): boolean => tokens.some(({ text }) => word.test(text))
  // To a savepoint.
  if (/^ROLLBACK$/i.test(first.text) && has(/^TO$/i)) return false
  if (familyOf(provider) !== 'mysql') return ends.test(first.text)
  return !staysInMysql.test(first.text) || has(/^autocommit$/i)
}
