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
  return { url: url.href, drop: () => execute(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
