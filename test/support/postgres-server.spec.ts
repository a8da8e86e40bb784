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
  it('runs the version that the set-up has announced', async () => {
    if (process.env.TEST_DATABASE_URL) return
    const { version } = await findPostgres()
    const [row] = await query(postgresUrl(), 'SHOW server_version')
    expect(row?.server_version).toBe(version)
  })
})

describe('createDatabase', () => {
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
