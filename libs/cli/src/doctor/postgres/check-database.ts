import type pg from 'pg'
import {
  applicationOf,
  connectTo,
  disconnect,
  followedProviders,
  followedTables,
  leaderKey,
  nameOf,
  publicationOf,
  serverFaults,
  slotFault,
} from '@model-cache/follow/internal'
import { sentenceOf } from '../doctor.js'
import { fault, type Finding, ok } from '../finding.js'
import { checkPublication } from './check-publication.js'
import { checkRole } from './check-role.js'
import { checkSlots } from './check-slots.js'
import { checkStandby } from './check-standby.js'
import type { PostgresContext } from './postgres-context.js'

/** A database whose URL is known. */
export type KnownDatabase = PostgresContext & { readonly url: string }

/** All checks of one database, which share a connection. */
export async function checkDatabase(context: KnownDatabase): Promise<readonly Finding[]> {
  const name = nameOf(context.url)
  let client: pg.Client
  try {
    client = await reach(context.url)
  } catch (error) {
    return [
      fault(
        'error',
        'postgres.reachable',
        `PostgreSQL cannot be checked: ${sentenceOf(error)}`,
        'Rows that are not cached cannot be loaded, if the application uses this URL as well.',
        'Start the server, or correct the URL: --database, by default DATABASE_URL.',
      ),
    ]
  }
  try {
    return [
      ok('postgres.reachable', `PostgreSQL answers at ${name}.`),
      ...(await checkTimeout(client, context)),
      ...(await checkSlots(client)),
      ...(context.isFollowed ? await checkFollowing(client, context) : []),
    ]
  } finally {
    await disconnect(client)
  }
}

/** Connects, and waits for an answer: a pooler lets clients in also while it has no server for them. */
async function reach(url: string): Promise<pg.Client> {
  const client = await connectTo({ url }, 'settings')
  try {
    await client.query('SELECT 1')
    return client
  } catch (error) {
    await disconnect(client)
    throw error
  }
}

async function checkTimeout(client: pg.Client, { fenceMs }: KnownDatabase): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ ms: number; role: string }>(
    `SELECT setting::int AS ms, current_user AS role FROM pg_settings WHERE name = 'statement_timeout'`,
  )
  const { ms, role } = rows[0]!
  if (ms > 0 && ms < fenceMs)
    return [ok('postgres.statement-timeout', `statement_timeout is ${ms} ms, below fenceMs (${fenceMs} ms).`)]
  return [
    fault(
      'warning',
      'postgres.statement-timeout',
      `statement_timeout of the role ${role} is ${ms === 0 ? 'off' : `${ms} ms`}, and fenceMs is ${fenceMs} ms.`,
      'A statement that lost its client may wait for a lock, and commit after its fence has expired: rows are then stale until their ttl ends. The application may set it on its own connections, which this check does not see.',
      `ALTER ROLE "${role}" SET statement_timeout = '${Math.round(0.8 * fenceMs)}ms';`,
    ),
  ]
}

/** What the log needs to be followed. */
async function checkFollowing(client: pg.Client, context: KnownDatabase): Promise<readonly Finding[]> {
  const { caches, epoch } = await context.listed.catch(() => ({ caches: [], epoch: undefined }))
  const follower = epoch && applicationOf(leaderKey(context.namespace, epoch))
  const { slot } = context
  const faults = await serverFaults(client, slot, follower)
  const unreadable = slot === undefined ? undefined : await slotFault(client, slot, follower)
  const publication = context.publication ?? publicationOf(context.namespace)
  const unfollowed = 'The log cannot be followed: rows that others write stay stale until their ttl ends.'
  return [
    ...(faults.some(({ kind }) => kind === 'wal-level')
      ? []
      : [ok('postgres.wal-level', "wal_level is 'logical'.")]),
    ...faults.map(({ kind, problem, remedy }) =>
      fault('error', `postgres.${kind}`, problem, unfollowed, remedy),
    ),
    ...(unreadable
      ? [
          fault(
            'error',
            'postgres.slot',
            `The replication slot "${slot}" ${unreadable.problem}.`,
            unfollowed,
            unreadable.remedy,
          ),
        ]
      : []),
    ...(await checkRole(client, unfollowed, follower)),
    ...(await checkStandby(client)),
    ...(await checkPublication(client, publication, followedTables(caches, followedProviders))),
  ]
}
