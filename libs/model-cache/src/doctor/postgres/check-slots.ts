import type pg from 'pg'
import { literal } from '../../follow/postgres/sql.js'
import { fault, type Finding } from '../finding.js'

interface Slot {
  readonly name: string
  readonly status: string | null
  readonly bytes: string | null
}

const gibibyte = 2 ** 30

/** Replication slots that nobody reads: PostgreSQL keeps its log for them. */
export async function checkSlots(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<Slot & { limit: string }>(
    `SELECT slot_name AS name, wal_status AS status, current_setting('max_slot_wal_keep_size') AS limit,
       CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) END::text AS bytes
     FROM pg_replication_slots WHERE NOT active AND plugin = 'pgoutput' AND database = current_database()`,
  )
  return rows.flatMap(({ bytes, limit, name, status }) => {
    const isUnlimited = limit === '-1'
    if (!isUnlimited && status === 'reserved' && Number(bytes) < gibibyte) return []
    const kept = `${(Number(bytes ?? 0) / 2 ** 20).toFixed(0)} MiB of WAL`
    return [
      fault(
        'warning',
        'postgres.slot-retention',
        `Nobody reads the replication slot ${name}, which keeps ${kept}${isUnlimited ? ' and has no limit' : `; its status is ${status}`}.`,
        'PostgreSQL keeps its log for a slot until its disk is full, and then nobody can write; or until the limit, and then the slot is lost.',
        `If it is given up: SELECT pg_drop_replication_slot(${literal(name)}); otherwise start its reader.` +
          (isUnlimited
            ? " Set a limit: ALTER SYSTEM SET max_slot_wal_keep_size = '10GB'; SELECT pg_reload_conf();"
            : ''),
      ),
    ]
  })
}
