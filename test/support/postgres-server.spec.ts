import { existsSync } from 'node:fs'
import pg from 'pg'
import { createDatabase, postgresUrl } from './servers.js'
import { findPostgres, startPostgres } from './postgres-server.js'

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

describe('the PostgreSQL of a test run', () => {
  it('is a real server that reports its version', async () => {
    const [row] = await query(postgresUrl(), 'SELECT version()')
    expect(row?.version).toMatch(/^PostgreSQL \d+/)
  })

  it('runs the version that the set-up has announced', async () => {
    if (process.env.TEST_DATABASE_URL) return
    const { version } = await findPostgres()
    const [row] = await query(postgresUrl(), 'SHOW server_version')
    expect(row?.server_version).toBe(version)
  })
})

describe('createDatabase', () => {
  it('creates an empty database for each caller, and drops it', async () => {
    const [one, other] = await Promise.all([createDatabase(), createDatabase()])
    await query(one.url, 'CREATE TABLE mine (id int)')
    const tables = await query(other.url, `SELECT * FROM pg_tables WHERE schemaname = 'public'`)
    expect(tables).toEqual([])

    await Promise.all([one.drop(), other.drop()])
    await expect(query(one.url, 'SELECT 1')).rejects.toThrow('does not exist')
  })

  it('drops a database that a client is still connected to', async () => {
    const database = await createDatabase()
    const client = new pg.Client({ connectionString: database.url })
    const disconnected = new Promise((resolve) => client.on('error', resolve))
    await client.connect()
    await database.drop()
    await expect(disconnected).resolves.toMatchObject({ message: expect.stringContaining('terminat') })
  })
})

describe('startPostgres', () => {
  it('starts a server of its own and leaves nothing behind', async () => {
    const server = await startPostgres()
    const [row] = await query(server.url, 'SHOW data_directory')
    await server.stop()
    expect(() => process.kill(server.pid, 0)).toThrow('ESRCH')
    expect(existsSync(String(row?.data_directory))).toBe(false)
  })
})
