import { createHash } from 'node:crypto'
import type pg from 'pg'
import { followError } from '../errors.js'
import { messageOf } from '../database-url.js'
import { HeldLock } from '../held-lock.js'
import { connectTo, disconnect, type PostgresAddress } from './connect.js'

/** An advisory lock that this process holds. */
export type AdvisoryLock = HeldLock<pg.Client>

/** Waits for the advisory lock of a key. See {@link HeldLock.take}. */
export function takeAdvisoryLock(
  address: PostgresAddress,
  key: string,
  signal: AbortSignal,
): Promise<AdvisoryLock> {
  const connect = (): Promise<pg.Client> => connectTo(address, 'queries', applicationOf(key))
  const isTaken = async (client: pg.Client): Promise<boolean> => {
    const { rows } = await client.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS held',
      numbersOf(key),
    )
    return rows[0]?.held ?? false
  }
  return HeldLock.take({ connect, isTaken, disconnect }, signal)
}

/** The row of a query that PostgreSQL answers at once. See {@link HeldLock.ask}. */
export function askRow<Row extends pg.QueryResultRow>(lock: AdvisoryLock, sql: string): Promise<Row> {
  return lock.ask(async (client) => (await client.query<Row>(sql)).rows[0]!)
}

/**
 * Ends the connection of the follower that holds the lock: of a process that names itself as followers of this key do. One that works
 * asks PostgreSQL twice a second.
 *
 * @returns what became of it; undefined if there is none
 * @throws ModelCacheError (`E_FOLLOW`) when the database does not permit it
 */
export async function breakLock(
  address: PostgresAddress,
  key: string,
  idleMs: number,
): Promise<'deposed' | 'alive' | undefined> {
  const client = await connectTo(address, 'queries')
  try {
    const { rows } = await client.query<{ isEnded: boolean }>(
      `SELECT CASE WHEN a.state_change > clock_timestamp() - $4 * interval '1 ms' THEN false ELSE pg_terminate_backend(l.pid) END AS "isEnded"
       FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
       WHERE locktype = 'advisory' AND granted AND l.pid <> pg_backend_pid() AND a.application_name = $3
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND classid = ($1::int8 & 4294967295)::oid AND objid = ($2::int8 & 4294967295)::oid AND objsubid = 2`,
      [...numbersOf(key), applicationOf(key), idleMs],
    )
    return rows[0] && (rows[0].isEnded ? 'deposed' : 'alive')
  } catch (error) {
    throw followError(
      `cannot end the connection of the follower that does not answer: ${messageOf(error)}.`,
      error,
    )
  } finally {
    await disconnect(client)
  }
}

/** The name of the connections of a follower, by which others of the same key know them. */
export function applicationOf(key: string): string {
  return `model-cache follower ${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

/** An advisory lock is named by two signed numbers of 32 bits. */
function numbersOf(key: string): [number, number] {
  const digest = createHash('sha256').update(`model-cache:follow:${key}`).digest()
  return [digest.readInt32BE(0), digest.readInt32BE(4)]
}
