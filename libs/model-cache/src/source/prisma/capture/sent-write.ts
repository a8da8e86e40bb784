import type { AffectedRows } from '../../affected-rows.js'
import type { Queryable, SqlQuery } from './adapter.js'
import type { Statement } from './statement.js'
import type { StoredRow } from './values.js'

/** A statement of a transaction, and what it affects. */
export interface Write {
  readonly tx: Queryable
  readonly query: SqlQuery
  readonly statement: Statement
  readonly affected: AffectedRows
  readonly wantsRows: boolean
}

/** The result for Prisma, and the rows as they are after the statement. */
export interface Sent {
  readonly result: unknown
  /** Undefined if there are too many, or the statement does not show them. */
  readonly rows: readonly StoredRow[] | undefined
}
