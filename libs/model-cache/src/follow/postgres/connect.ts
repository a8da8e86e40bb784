import pg from 'pg'
import { FollowError } from '../../errors.js'

/** How to reach PostgreSQL: options of `pg`, such as `ssl`, beside the URL. */
export interface PostgresAddress extends Omit<pg.ClientConfig, 'connectionString'> {
  /** A `postgres://` URL of the primary, not of a pooler: a replication connection needs a session of its own. */
  readonly url: string
}

/** The connection attempt, and an answer of the database, may take this long. */
const deadlineMs = 5_000

/**
 * Opens a connection of its own.
 *
 * @param mode `'replication'` for commands of the replication protocol; `'settings'` for queries of what the role is given by default
 * @throws FollowError
 */
export async function connectTo(
  { url, ...config }: PostgresAddress,
  mode: 'queries' | 'replication' | 'settings',
): Promise<pg.Client> {
  const client = new pg.Client({
    application_name: 'model-cache follower',
    connectionTimeoutMillis: deadlineMs,
    keepAlive: true,
    ...config,
    connectionString: url,
    ...(mode !== 'replication' && { query_timeout: deadlineMs }),
    ...(mode === 'queries' && { statement_timeout: deadlineMs }),
    ...(mode === 'replication' && { replication: 'database' }),
  } as pg.ClientConfig)
  // Without a listener, a lost connection would end the process. The user of the client learns of it by `end`.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => {})
    const remedy = remedyOf(error)
    throw new FollowError(`cannot connect to ${nameOf(url)}: ${reasonOf(error)}.${remedy}`, error)
  }
  return client
}

const mayReplicate =
  ' Run as an administrator: ALTER ROLE … REPLICATION; on Amazon RDS: GRANT rds_replication TO …; see docs/follow.md.'

function remedyOf(error: unknown): string {
  if ((error as { code?: unknown }).code === '42501') return mayReplicate
  return /unsupported startup parameter/.test(reasonOf(error))
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
export function nameOf(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `${host}${pathname}`
  } catch {
    return 'PostgreSQL'
  }
}

export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
