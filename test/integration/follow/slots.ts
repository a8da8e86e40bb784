import type pg from 'pg'
import { eventuallyEqual } from '../../support/eventually.js'

let slots = 0

/** The name of a replication slot that does not exist, and what removes it. */
export function freshSlot() {
  const name = `slot_${Date.now()}_${++slots}`
  const dropping =
    'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT active'
  return {
    name,
    /** PostgreSQL notices a moment later that its reader has gone. */
    drop: ({ sql }: { readonly sql: pg.Client }): Promise<void> =>
      eventuallyEqual(async () => (await sql.query(dropping, [name])).rowCount, 1),
  }
}
