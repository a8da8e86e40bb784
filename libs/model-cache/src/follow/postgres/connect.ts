import pg from 'pg'
import { followError } from '../../errors.js'
import { literal } from './sql.js'

/** How to reach PostgreSQL: options of `pg`, such as `ssl`, beside the URL. */
export interface PostgresAddress extends Omit<pg.ClientConfig, 'connectionString'> {
  /** A `postgres://` URL of the primary, not of a pooler: a replication connection needs a session of its own. */
  readonly url: string
}

/** The connection attempt, and an answer of the database, may take this long. */
const deadlineMs = 5_000
/** How long a statement waits for a lock, and others of its connection with it. */
const lockMs = 1_000

/**
 * Opens a connection of its own.
 *
 * @param mode `'replication'` for commands of the replication protocol; `'settings'` for queries of what the role is given by default
 * @param application its name, whatever the address says
 * @throws ModelCacheError (`E_FOLLOW`)
 */
export async function connectTo(
  { url, ...config }: PostgresAddress,
  mode: 'queries' | 'replication' | 'settings',
  application?: string,
): Promise<pg.Client> {
  // Host, port and database would be parts of the password, and so would errors about them.
  if (hasStrayAt(url)) throw followError(`cannot connect to ${nameOf(url)}: ${strayAt}`)
  const client = clientOf(url, {
    application_name: 'model-cache follower',
    connectionTimeoutMillis: deadlineMs,
    keepAlive: true,
    ...config,
    ...(mode !== 'replication' && { query_timeout: deadlineMs }),
    ...(mode === 'queries' && { statement_timeout: deadlineMs, lock_timeout: lockMs }),
    ...(mode === 'replication' && { replication: 'database' }),
  } as pg.ClientConfig)
  // Without a listener, a lost connection would end the process. The user of the client learns of it by `end`.
  client.on('error', () => {})
  try {
    await client.connect()
    if (application !== undefined) await client.query(`SET application_name = ${literal(application)}`)
  } catch (error) {
    await client.end().catch(() => {})
    const remedy = remedyOf(error)
    throw followError(`cannot connect to ${nameOf(url)}: ${messageOf(error)}.${remedy}`, error)
  }
  return client
}

/** @throws ModelCacheError (`E_FOLLOW`) if the URL cannot be parsed */
function clientOf(url: string, config: pg.ClientConfig): pg.Client {
  try {
    return new pg.Client({ ...config, connectionString: url })
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
export function nameOf(url: string): string {
  if (!URL.canParse(url) || hasStrayAt(url)) return 'PostgreSQL'
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

const strayAt =
  'its URL has an "@" behind the host. Percent-encode user and password, where "/" is %2F, "?" is %3F, "#" is %23 and "@" is %40; and ' +
  '"@" everywhere else.'

/**
 * Whether a URL has an "@" where its path, its query or its fragment is. A password that is not percent-encoded ends at its first "/",
 * "?" or "#": what is in front of it counts as a port, and what follows, up to the host, as the path.
 */
function hasStrayAt(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hash, password, pathname, search, username } = new URL(url)
  if (`${pathname}${hash}`.includes('@')) return true
  if (!search.includes('@')) return false
  // Behind credentials, `?application_name=me@here` is what it seems to be.
  const values = search.slice(1).split('&')
  return (username === '' && password === '') || values.some((value) => /^[^=]*@/.test(value))
}

/** The message of an error; of several, if it stands for the attempts at several addresses. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
