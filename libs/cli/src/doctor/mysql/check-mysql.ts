import {
  connectToMysql,
  cutConnection,
  databaseIn,
  findTables,
  followedTables,
  type MysqlConnection,
  mysqlFaults,
  mysqlNameOf,
  mysqlProviders,
  readVariables,
  rowsOf,
  schemasIn,
} from '@model-cache/follow/internal'
import type { CatalogueListing } from 'model-cache/internal'
import { sentenceOf } from '../doctor.js'
import { checkCollations } from './check-collations.js'
import { fault, type Finding, ok } from '../finding.js'

/** What the checks of MariaDB and MySQL need to know. */
export interface MysqlContext {
  readonly url: string
  /** Whether the log of the database is followed, or is to be. */
  readonly isFollowed: boolean
  /** Rejects if the catalogue cannot be read. */
  readonly listed: Promise<CatalogueListing>
}

/** All checks of one database, which share a connection. `mysql2` is loaded for them alone, since it is an optional package. */
export async function checkMysql(context: MysqlContext): Promise<readonly Finding[]> {
  const { isFollowed, listed, url } = context
  try {
    await import('mysql2/promise')
  } catch {
    return [
      fault(
        'warning',
        'mysql.package',
        'The database was not checked: the package mysql2 is not installed.',
        'Its settings are unknown, and its log cannot be followed.',
        'npm install mysql2',
      ),
    ]
  }
  let client: MysqlConnection
  try {
    client = await reach(url)
  } catch (error) {
    return [
      fault(
        'error',
        'mysql.reachable',
        `The database cannot be checked: ${sentenceOf(error)}`,
        'Rows that are not cached cannot be loaded, if the application uses this URL as well.',
        'Start the server, or correct the URL: --database, by default DATABASE_URL.',
      ),
    ]
  }
  try {
    return [
      ok('mysql.reachable', `The database answers at ${mysqlNameOf(url)}.`),
      ...(await checkCollations(
        client,
        (await listed.catch(() => ({ caches: [] }))).caches,
        databaseIn(url),
      )),
      ...(isFollowed ? await checkFollowing(client, context) : []),
    ]
  } finally {
    cutConnection(client)
  }
}

/** Connects, and waits for an answer: a proxy answers what sets up a session by itself, also while it has no server. */
async function reach(url: string): Promise<MysqlConnection> {
  const client = await connectToMysql({ url })
  try {
    await rowsOf(client, 'SELECT 1')
    return client
  } catch (error) {
    cutConnection(client)
    throw error
  }
}

const unfollowed = 'The log cannot be followed: rows that others write stay stale until their ttl ends.'

/** What the log needs to be followed. */
async function checkFollowing(
  client: MysqlConnection,
  { listed, url }: MysqlContext,
): Promise<readonly Finding[]> {
  const database = databaseIn(url)
  const faults = await mysqlFaults(client, await readVariables(client), database)
  const { caches } = await listed.catch(() => ({ caches: [] }))
  const { tables } = followedTables(caches, mysqlProviders)
  const { problems } = await findTables(client, [...tables.values()], schemasIn(database))
  return [
    ...(faults.length > 0 ? [] : [ok('mysql.binlog', 'The binlog has whole rows, and names their columns.')]),
    ...faults.map(({ kind, problem, remedy }) =>
      fault('error', `mysql.${kind}`, problem, unfollowed, remedy),
    ),
    ...problems.map(({ message }) =>
      fault('warning', 'mysql.table', message, 'Caches of it are not followed.'),
    ),
  ]
}
