import { plainQuery, type Queryable } from './adapter.js'
import { isUnreadable } from './write-end.js'

/**
 * SQLite begins a transaction without a lock. One that reads first fails at once if another connection writes before its own first write;
 * one that begins with a write waits for its turn. So a transaction that is about to read begins with a DELETE of no rows, or an UPDATE if a
 * trigger of DELETE names a table that is gone. For a view, or a table that does not exist, the next statement says so.
 */
export async function takeWriteLock(tx: Queryable, target: string): Promise<void> {
  if (await canRun(tx, `DELETE FROM ${target} WHERE 0`)) return
  await canRun(tx, `UPDATE ${target} SET rowid = rowid WHERE 0`)
}

async function canRun(tx: Queryable, sql: string): Promise<boolean> {
  try {
    await tx.executeRaw(plainQuery(sql))
    return true
  } catch (error) {
    if (isUnreadable(error, 'sqlite')) return false
    throw error
  }
}
