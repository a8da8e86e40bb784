import type pg from 'pg'
import { missingPackageError } from 'model-cache/internal'
import { answerIn, deadlineMs } from '../answer-in.js'
import { followError } from '../errors.js'
import { hasStrayAt, messageOf, hostAndPathOf, strayAt } from '../database-url.js'
import { literal } from './sql.js'

/** How to reach PostgreSQL: options of `pg`, such as `ssl`, beside the URL. */
export interface PostgresAddress extends Omit<pg.ClientConfig, 'connectionString'> {
  /** A `postgres://` URL of the server, not of a pooler: a replication connection needs a session of its own. */
  readonly url: string
}

/** How long a statement waits for a lock, and others of its connection with it. */
const lockMs = 1_000
/**
 * After this time without a packet the system looks whether the other end is there, and not after its two hours: the creation of a slot may
 * wait for long, and a gateway between forgets connections that say nothing.
 */
const keepAliveMs = 10_000

/**
 * Opens a connection of its own.
 *
 * @param mode `'replication'` for commands of the replication protocol; `'settings'` for queries of what the role is given by default
 * @param application its name, whatever the address says
 * @throws ModelCacheError (`E_FOLLOW`); ConfigurationError without the package `pg`
 */
export async function connectTo(
  { url, ...config }: PostgresAddress,
  mode: 'queries' | 'replication' | 'settings',
  application?: string,
): Promise<pg.Client> {
  // Host, port and database would be parts of the password, and so would errors about them.
  if (hasStrayAt(url)) throw followError(`cannot connect to ${nameOf(url)}: ${strayAt}`)
  const client = clientOf(await loadPg(), url, {
    application_name: 'model-cache follower',
    connectionTimeoutMillis: deadlineMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    ...config,
    ...(mode !== 'replication' && { query_timeout: deadlineMs }),
    ...(mode === 'queries' && { statement_timeout: deadlineMs, lock_timeout: lockMs }),
    ...(mode === 'replication' && { replication: 'database' }),
  } as pg.ClientConfig)
  // Without a listener, a lost connection would end the process. The user of the client learns of it by `end`.
  client.on('error', () => {})
  try {
    await client.connect()
    if (application !== undefined)
      await answerIn(client.query(`SET application_name = ${literal(application)}`), deadlineMs)
  } catch (error) {
    await client.end().catch(() => {})
    const remedy = remedyOf(error)
    throw followError(`cannot connect to ${nameOf(url)}: ${messageOf(error)}.${remedy}`, error)
  }
  return client
}

/** Loads the package when a follower starts: applications on another database do not need it. */
async function loadPg(): Promise<typeof pg> {
  try {
    return (await import('pg')).default
  } catch (error) {
    throw missingPackageError('pg', 'follows PostgreSQL', 'leave out `followPostgres`', error)
  }
}

/** @throws ModelCacheError (`E_FOLLOW`) if the URL cannot be parsed */
function clientOf({ Client }: typeof pg, url: string, config: pg.ClientConfig): pg.Client {
  try {
    return new Client({ ...config, connectionString: url })
  } catch (error) {
    const remedy =
      'Percent-encode user and password, where "/" is %2F, "?" is %3F, "#" is %23 and "@" is %40.'
    throw followError(`cannot connect to ${nameOf(url)}: ${messageOf(error)}. ${remedy}`, error)
  }
}

const mayReplicate =
  ' Run as an administrator: ALTER ROLE … REPLICATION; on Amazon RDS: GRANT rds_replication TO …; see docs/follow.md.'

function remedyOf(error: unknown): string {
  if ((error as { code?: unknown }).code === '42501') return mayReplicate
  return /unsupported startup parameter/.test(messageOf(error))
    ? ' The URL leads to a pooler. Give the address of PostgreSQL itself.'
    : ''
}

/** Ends a connection at once, also one that does not answer. */
export async function disconnect(client: pg.Client): Promise<void> {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } })
    .connection
  const ending = client.end().catch(() => {})
  const timer = setTimeout(() => stream.destroy(), 500).unref()
  await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, 1_000).unref())])
  clearTimeout(timer)
  stream.destroy()
}

/** Host and database of a URL, without credentials. */
export const nameOf = (url: string): string => hostAndPathOf(url, 'PostgreSQL')
