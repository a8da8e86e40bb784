import type pg from 'pg'
import { literal } from './sql.js'

interface Found {
  readonly level: string
  readonly slots: number
  /** The slots that this follower cannot have. */
  readonly used: number
  readonly version: number
  readonly isReplica: boolean
  readonly pid: number
  readonly isNeon: boolean
  /** `synchronous_standby_names`. */
  readonly standbys: string
}

/** Why the database does not let changes be followed. */
export interface ServerFault {
  readonly kind: 'pooler' | 'version' | 'replica' | 'wal-level' | 'standby-names' | 'slots'
  readonly problem: string
  readonly remedy: string
}

/**
 * Returns why the database does not let changes be followed.
 *
 * @param slot a durable one, which may exist already
 * @param follower the name of the connections of a follower that may run already, with a slot
 */
export async function serverFaults(
  client: pg.Client,
  slot: string | undefined,
  follower?: string,
): Promise<readonly ServerFault[]> {
  const { rows } = await client.query<Found>(
    `SELECT current_setting('wal_level') AS level, current_setting('max_replication_slots')::int AS slots,
       current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS "isReplica", pg_backend_pid() AS pid,
       current_setting('neon.tenant_id', true) IS NOT NULL AS "isNeon", current_setting('synchronous_standby_names') AS standbys,
       (SELECT count(*)::int FROM pg_replication_slots LEFT JOIN pg_stat_activity a ON a.pid = active_pid
        WHERE slot_name IS DISTINCT FROM $1 AND NOT COALESCE(a.application_name = $2, false)) AS used`,
    [slot, follower],
  )
  const { isNeon, isReplica, level, pid, slots, standbys, used, version } = rows[0]!
  const { host, processID } = client as unknown as {
    readonly host: string
    readonly processID: number | null
  }
  // A pooler gives each client a number of its own, and so does the proxy of Neon, which leads each client to a session of its own. A
  // database of Neon may have another pooler before it.
  const isProxy = isNeon && /\.neon\.tech$/i.test(host) && !/-pooler\b/i.test(host)
  const isDirect = processID === null || processID === pid || isProxy
  const faults: (ServerFault | false)[] = [
    !isDirect && {
      kind: 'pooler',
      problem: 'The URL leads to a pooler, which shares sessions.',
      remedy: 'Give the address of PostgreSQL itself.',
    },
    version < 140_000 && {
      kind: 'version',
      problem: `PostgreSQL ${version} is older than 14, whose log lacks what is needed.`,
      remedy: 'Upgrade it.',
    },
    isReplica &&
      version < 160_000 && {
        kind: 'replica',
        problem:
          'The URL leads to a standby, and PostgreSQL sends changes from a standby since version 16 only.',
        remedy: 'Give the URL of the primary, and the standby as `replica`; or upgrade both.',
      },
    level !== 'logical' && {
      kind: 'wal-level',
      problem: `wal_level is '${level}'.`,
      remedy:
        `Run: ALTER SYSTEM SET wal_level = ${literal('logical')}; and restart PostgreSQL. Managed services have an option for it.` +
        (isReplica ? ' The primary needs it as well.' : ''),
    },
    // No COMMIT waits for a client of a standby.
    !isReplica &&
      /(^|[(,\s"])\*($|[),\s"])/.test(standbys) && {
        kind: 'standby-names',
        problem:
          `synchronous_standby_names is '${standbys}', which takes the follower for a standby: a COMMIT may wait for it forever, because it ` +
          'waits until readers see the COMMIT.',
        remedy:
          "Name the standbys: ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (…)'; SELECT pg_reload_conf();",
      },
    used >= slots && {
      kind: 'slots',
      problem: `All ${slots} replication slots are in use.`,
      remedy: 'Drop one that nobody reads, or raise max_replication_slots.',
    },
  ]
  return faults.filter((fault) => fault !== false)
}
