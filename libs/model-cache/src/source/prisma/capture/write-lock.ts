import { plainQuery, type Queryable } from './adapter.js'
import { isUnreadable } from './write-end.js'

/**
 * SQLite begins a transaction without a lock. One that reads first fails at once if another connection writes before its own first write;
 * one that begins with a write waits for its turn. So a transaction that is about to read begins with a DELETE of no rows. For a view, or a
 * table that does not exist, the next statement says so.
 */
export async function takeWriteLock(tx: Queryable, target: string): Promise<void> {
  await tx.executeRaw(plainQuery(`DELETE FROM ${target} WHERE 0`)).catch((error: unknown) => {
    if (!isUnreadable(error, 'sqlite')) throw error
  })
}
