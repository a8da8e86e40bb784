/** The servers that a test run shares, started once by Jest's global set-up. */
import { randomBytes } from 'node:crypto'
import { createConnection } from 'mariadb'
import pg from 'pg'
import { describeValkey } from './describe-valkey.ts'
import { findMariadb } from './find-mariadb.ts'
import { dropPostgresDatabase, findPostgres, startPostgres } from './postgres-server.ts'
import { reasonOf } from './reason-of.ts'
import { VALKEY_SERVER_VARIABLE } from './find-valkey-server.ts'
import { mysqlConnectionOf } from './mysql-database.ts'
import { startMariadb } from './start-mariadb.ts'
import { findValkeyServer, startValkey } from './valkey-server.ts'

interface SharedServer {
  url: string
  /** "Valkey 9.1.2 (from …)" */
  description: string
  stop: () => Promise<void>
}

/** The database that `createDemoDatabase` copies. Of each run its own, on servers that outlive it. */
export const DEMO_DATABASE_VARIABLE = 'MODEL_CACHE_TEST_DEMO_DATABASE'
/** How the URLs travel to Jest's workers, which inherit the environment. */
export const VALKEY_URL_VARIABLE = 'MODEL_CACHE_TEST_VALKEY_URL'
export const POSTGRES_URL_VARIABLE = 'MODEL_CACHE_TEST_POSTGRES_URL'
/** Empty if no MySQL or MariaDB was found. */
export const MYSQL_URL_VARIABLE = 'MODEL_CACHE_TEST_MYSQL_URL'

let running: SharedServer[] = []

/** Starts all, or connects to those that VALKEY_URL, TEST_DATABASE_URL and MYSQL_URL name, and says which they are. */
export async function startTestServers(): Promise<string> {
  const started = await Promise.allSettled([sharedValkey(), sharedPostgres(), sharedMysql()])
  running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find((result) => result.status === 'rejected')
  if (failure) {
    await stopTestServers()
    throw failure.reason
  }
  const [valkey, postgres, mysql] = running as [SharedServer, SharedServer, SharedServer]
  process.env[VALKEY_URL_VARIABLE] = valkey.url
  process.env[POSTGRES_URL_VARIABLE] = postgres.url
  process.env[MYSQL_URL_VARIABLE] = mysql.url
  return running.map(({ description }) => description).join(', ')
}

export async function stopTestServers(): Promise<void> {
  await Promise.all(running.map((server) => server.stop()))
  running = []
}

async function sharedValkey(): Promise<SharedServer> {
  const given = process.env.VALKEY_URL
  if (given)
    return {
      url: given,
      description: `${await describeValkey(given)} (from VALKEY_URL)`,
      stop: async () => {},
    }
  const found = await findValkeyServer()
  process.env[VALKEY_SERVER_VARIABLE] = JSON.stringify(found)
  const { name, version, origin } = found
  const { url, stop } = await startValkey()
  return { url, description: `${name} ${version} (from ${origin})`, stop }
}

async function sharedPostgres(): Promise<SharedServer> {
  const given = process.env.TEST_DATABASE_URL
  const demo = `test_demo_${randomBytes(6).toString('hex')}`
  process.env[DEMO_DATABASE_VARIABLE] = demo
  if (given)
    return {
      url: given,
      description: await describePostgres(given),
      stop: () => dropPostgresDatabase(given, demo),
    }
  const { version, origin } = await findPostgres()
  const { url, stop } = await startPostgres()
  return { url, description: `PostgreSQL ${version} (from ${origin})`, stop }
}

/** The only server that a run can do without: npm and PyPI have none. Then the specs of MySQL do not run, and the run says so. */
async function sharedMysql(): Promise<SharedServer> {
  const given = process.env.MYSQL_URL
  const chosen = process.env.DATABASES ?? 'mysql'
  if (!/^-|mysql/.test(chosen))
    return { url: '', description: `no MySQL for ${chosen}`, stop: async () => {} }
  if (given) return { url: given, description: await describeMysql(given), stop: async () => {} }
  try {
    const { version, origin } = await findMariadb()
    const { url, stop } = await startMariadb()
    return { url, description: `MariaDB ${version} (from ${origin})`, stop }
  } catch (error) {
    if (process.env.DATABASES && !chosen.startsWith('-')) throw error
    const description = `no MySQL, so that no spec runs on it:\n${reasonOf(error)}\n`
    return { url: '', description, stop: async () => {} }
  }
}

async function describeMysql(url: string): Promise<string> {
  try {
    const connection = await createConnection(mysqlConnectionOf(new URL(url)))
    const [row] = await connection.query<{ version: string }[]>('SELECT version() AS version')
    await connection.end()
    return `MySQL ${row?.version} (from MYSQL_URL)`
  } catch (error) {
    throw new Error(`MYSQL_URL is set, but that server does not answer: ${reasonOf(error)}`, { cause: error })
  }
}

async function describePostgres(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return `PostgreSQL ${rows[0]?.server_version} (from TEST_DATABASE_URL)`
  } catch (error) {
    throw new Error(`TEST_DATABASE_URL is set, but that server does not answer: ${reasonOf(error)}`, {
      cause: error,
    })
  } finally {
    await client.end()
  }
}
