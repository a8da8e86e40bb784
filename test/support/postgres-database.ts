import { randomBytes } from 'node:crypto'
import pg from 'pg'

export interface PostgresDatabase {
  url: string
  /** Removes the database, whoever is still connected to it. */
  drop: () => Promise<void>
}

/** Creates a fresh, empty database with a name of its own on the server of an administrator's URL. */
export async function createPostgresDatabase(adminUrl: string): Promise<PostgresDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await execute(adminUrl, `CREATE DATABASE ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const drop = (): Promise<void> =>
    execute(adminUrl, untilUnused(name), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  return { url: url.href, drop }
}

/** Waits a second at most: a closed pool may still be ending its connections, and fails on those that are terminated. */
const untilUnused = (name: string): string => `DO $$ BEGIN FOR attempt IN 1..40 LOOP
  EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '${name}');
  PERFORM pg_sleep(0.025), pg_stat_clear_snapshot();
END LOOP; END $$`

async function execute(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
