/** The two servers that a test run shares, started once by Jest's global set-up. */
import pg from 'pg'
import { describeValkey } from './describe-valkey.ts'
import { findPostgres, startPostgres } from './postgres-server.ts'
import { reasonOf } from './reason-of.ts'
import { VALKEY_SERVER_VARIABLE } from './find-valkey-server.ts'
import { findValkeyServer, startValkey } from './valkey-server.ts'

interface SharedServer {
  url: string
  /** "Valkey 9.1.2 (from …)" */
  description: string
  stop: () => Promise<void>
}

/** How the URLs travel to Jest's workers, which inherit the environment. */
export const VALKEY_URL_VARIABLE = 'MODEL_CACHE_TEST_VALKEY_URL'
export const POSTGRES_URL_VARIABLE = 'MODEL_CACHE_TEST_POSTGRES_URL'

let running: SharedServer[] = []

/** Starts both, or connects to those that VALKEY_URL and TEST_DATABASE_URL name, and says which they are. */
export async function startTestServers(): Promise<string> {
  const started = await Promise.allSettled([sharedValkey(), sharedPostgres()])
  running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find((result) => result.status === 'rejected')
  if (failure) {
    await stopTestServers()
    throw failure.reason
  }
  const [valkey, postgres] = running as [SharedServer, SharedServer]
  process.env[VALKEY_URL_VARIABLE] = valkey.url
  process.env[POSTGRES_URL_VARIABLE] = postgres.url
  return `${valkey.description}, ${postgres.description}`
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
  if (given) return { url: given, description: await describePostgres(given), stop: async () => {} }
  const { version, origin } = await findPostgres()
  const { url, stop } = await startPostgres()
  return { url, description: `PostgreSQL ${version} (from ${origin})`, stop }
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
