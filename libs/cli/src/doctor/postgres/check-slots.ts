import type pg from 'pg'
import { isInConflict, literal } from '@model-cache/follow/internal'
import { fault, type Finding } from '../finding.js'

interface Slot {
  readonly name: string
  readonly status: string | null
  readonly bytes: string | null
  /** Whether the primary has removed what it needs. */
  readonly isInConflict: boolean
}

const gibibyte = 2 ** 30

/** Replication slots that nobody reads: PostgreSQL keeps its log for them. */
export async function checkSlots(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<Slot & { limit: string }>(
    `SELECT slot_name AS name, wal_status AS status, current_setting('max_slot_wal_keep_size') AS limit,
       pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn)::text AS bytes,
       ${isInConflict('s')} AS "isInConflict"
     FROM pg_replication_slots s WHERE NOT active AND plugin = 'pgoutput' AND database = current_database()`,
  )
  return rows.flatMap(({ bytes, isInConflict, limit, name, status }) => {
    if (isInConflict) return [conflictOf(name)]
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

/** A standby gives up a slot, from PostgreSQL 16 on. */
function conflictOf(name: string): Finding {
  return fault(
    'warning',
    'postgres.slot-conflict',
    `The standby has given up the replication slot ${name}: the primary has removed rows of its catalogue that it needed.`,
    'The follower creates it again, and empties the followed caches.',
    'Run on the standby: ALTER SYSTEM SET hot_standby_feedback = on; SELECT pg_reload_conf(); and give it a slot on the primary (primary_slot_name).',
  )
}
