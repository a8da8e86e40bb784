import type pg from 'pg'
import { fault, type Finding, ok } from '../finding.js'

/** What keeps the slot of a standby. Of a primary there is nothing to say. */
export async function checkStandby(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ isStandby: boolean; givesFeedback: boolean; slot: string }>(
    `SELECT pg_is_in_recovery() AS "isStandby", current_setting('hot_standby_feedback')::bool AS "givesFeedback",
       current_setting('primary_slot_name') AS slot`,
  )
  const { givesFeedback, isStandby, slot } = rows[0]!
  if (!isStandby) return []
  const meaning =
    'VACUUM on the primary may remove rows of its catalogue that the slot of the standby needs. PostgreSQL then ends the slot, and the ' +
    'followed caches are emptied.'
  if (!givesFeedback)
    return [
      fault(
        'warning',
        'postgres.standby-feedback',
        'hot_standby_feedback of the standby is off.',
        meaning,
        'Run on the standby: ALTER SYSTEM SET hot_standby_feedback = on; SELECT pg_reload_conf();',
      ),
    ]
  if (slot === '')
    return [
      fault(
        'warning',
        'postgres.standby-feedback',
        'The standby has no slot on its primary, so that hot_standby_feedback ends with each lost connection.',
        meaning,
        "Run on the primary: SELECT pg_create_physical_replication_slot('…'); and name it in primary_slot_name of the standby.",
      ),
    ]
  return [ok('postgres.standby-feedback', 'The primary keeps what the slot of the standby needs.')]
}
