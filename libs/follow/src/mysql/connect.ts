import type mysql from 'mysql2/promise'
import { missingPackageError } from 'model-cache/internal'
import { followError } from '../errors.js'
import { answerIn, deadlineMs } from '../answer-in.js'
import { hasStrayAt, messageOf, hostAndPathOf, strayAt } from '../database-url.js'
import { databaseIn, type MysqlAddress } from './mysql-address.js'

export type MysqlConnection = mysql.Connection

/**
 * Opens a connection of its own.
 *
 * @throws ModelCacheError (`E_FOLLOW`); ConfigurationError without the package `mysql2`
 */
export async function connectToMysql(address: MysqlAddress): Promise<MysqlConnection> {
  const { url } = address
  if (hasStrayAt(url)) throw followError(`cannot connect to ${mysqlNameOf(url)}: ${strayAt}`)
  const { createConnection } = await loadMysql()
  let client: MysqlConnection | undefined
  try {
    client = await createConnection({ ...configOf(address), ...settings })
    // Without a listener, a lost connection would end the process.
    client.on('error', () => {})
    await rowsOf(client, "SET time_zone = '+00:00'")
    return client
  } catch (error) {
    if (client) cutConnection(client)
    throw followError(`cannot connect to ${mysqlNameOf(url)}: ${messageOf(error)}.`, error)
  }
}

const settings = {
  charset: 'utf8mb4',
  connectTimeout: deadlineMs,
  enableKeepAlive: true,
  multipleStatements: true,
} as const

/** Query parameters that are meant for other clients are left out, but not those that ask for TLS. */
function configOf({ ssl, url }: MysqlAddress) {
  const { hostname, password, port, searchParams, username } = new URL(url)
  const accept = searchParams.get('sslaccept')
  const isSecure = accept !== null || /^(true|1)$/.test(searchParams.get('ssl') ?? '')
  const tls = ssl ?? (isSecure ? { rejectUnauthorized: accept !== 'accept_invalid_certs' } : undefined)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 3_306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: databaseIn(url),
    // Without `verifyIdentity`, the package accepts a certificate of any host.
    ...(tls && { ssl: { verifyIdentity: tls.rejectUnauthorized !== false, ...tls } as mysql.SslOptions }),
  }
}

/** Loads the package when a follower starts: applications on another database do not need it. */
async function loadMysql(): Promise<typeof mysql> {
  try {
    return (await import('mysql2/promise')).default
  } catch (error) {
    throw missingPackageError('mysql2', 'follows MariaDB and MySQL', 'leave out `followMysql`', error)
  }
}

/** The rows of a query. @throws Error if the database refuses it, or does not answer in time */
export async function rowsOf<Row>(
  client: MysqlConnection,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const [rows] = await answerIn(client.query(sql, values as unknown[]), deadlineMs)
  return rows as unknown as Row[]
}

/** Ends a connection at once, also one that does not answer. */
export function cutConnection(client: MysqlConnection): void {
  client.destroy()
  // The server does not notice the end of a connection by which it sends its log.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } })
    .connection
  stream.destroy()
}

/** Host and database of a URL, without credentials. */
export const mysqlNameOf = (url: string): string => hostAndPathOf(url, 'MySQL')
