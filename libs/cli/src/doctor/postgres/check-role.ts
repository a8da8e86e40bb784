import type pg from 'pg'
import { fault, type Finding, ok } from '../finding.js'

/**
 * Whether the role may replicate, and whether the server has a sender left.
 *
 * @param follower the name of the connections of a follower that may run already, with a sender
 */
export async function checkRole(
  client: pg.Client,
  meaning: string,
  follower?: string,
): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ role: string; may: boolean; senders: number; used: number }>(
    `SELECT rolname AS role, current_setting('max_wal_senders')::int AS senders,
       (SELECT count(*)::int FROM pg_stat_replication WHERE application_name IS DISTINCT FROM $1) AS used,
       rolsuper OR rolreplication OR EXISTS (
         SELECT FROM pg_roles managed WHERE managed.rolname = 'rds_replication' AND pg_has_role(managed.oid, 'MEMBER')) AS may
     FROM pg_roles WHERE rolname = current_user`,
    [follower],
  )
  const { may, role, senders, used } = rows[0]!
  return [
    may
      ? ok('postgres.role', `The role ${role} may replicate.`)
      : fault(
          'error',
          'postgres.role',
          `The role ${role} may not replicate.`,
          meaning,
          `Run as an administrator: ALTER ROLE "${role}" REPLICATION; on Amazon RDS: GRANT rds_replication TO "${role}";`,
        ),
    ...(used < senders
      ? []
      : [
          fault(
            'error',
            'postgres.senders',
            `All ${senders} WAL senders are in use.`,
            meaning,
            `ALTER SYSTEM SET max_wal_senders = ${senders + 5}; and restart PostgreSQL.`,
          ),
        ]),
  ]
}
