/** What a spec imports to reach the real servers of this test run. */
import { createPostgresDatabase } from './postgres-server.ts'
import type { TestDatabase } from './test-database.ts'
import { MYSQL_URL_VARIABLE, POSTGRES_URL_VARIABLE, VALKEY_URL_VARIABLE } from './test-servers.ts'

/**
 * The Valkey of this test run. Each Jest worker has a numbered database of its own there, so FLUSHDB is safe
 * and FLUSHALL is not; a test that needs a whole server starts one with `startValkey`.
 */
export function valkeyUrl(): string {
  const url = fromSetUp(VALKEY_URL_VARIABLE)
  if (process.env.VALKEY_URL) return url
  return `${url}/${Number(process.env.JEST_WORKER_ID ?? 1) % 64}`
}

/** The administrator's URL of this test run's PostgreSQL; most tests want `createDatabase`. */
export function postgresUrl(): string {
  return fromSetUp(POSTGRES_URL_VARIABLE)
}

/** The administrator's URL of this test run's MySQL or MariaDB; `databases.ts` creates databases there. */
export function mysqlUrl(): string {
  return fromSetUp(MYSQL_URL_VARIABLE)
}

/** Creates a fresh, empty database that nobody else knows. */
export function createDatabase(): Promise<TestDatabase> {
  return createPostgresDatabase(postgresUrl())
}

function fromSetUp(variable: string): string {
  const value = process.env[variable]
  if (value) return value
  throw new Error(
    `${variable} is not set: this spec is not run by the "servers" project of Jest, whose global ` +
      'set-up starts the servers. Specs that need them live in test/, outside the folders listed there as unit.',
  )
}
