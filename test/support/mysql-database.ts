import { randomBytes } from 'node:crypto'
import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { type ConnectionConfig, createConnection, createPool } from 'mariadb'
import { patientMs } from './patience.ts'
import type { TestDatabase } from './test-database.ts'

/** How a column compares text: that of tables which `prisma migrate` creates, and one that compares each byte. */
export type Collation = 'utf8mb4_unicode_ci' | 'utf8mb4_bin'

/** What the driver takes of a URL. MySQL gives its key to a client that has no other way to send a password safely. */
export function mysqlConnectionOf({ hostname, password, port, username }: URL): ConnectionConfig {
  return {
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    allowPublicKeyRetrieval: true,
    // Of the driver, a second.
    connectTimeout: patientMs,
  }
}

/** Creates a fresh, empty database with a name of its own on the server of an administrator's URL. */
export async function createMysqlDatabase(
  adminUrl: string,
  collation: Collation = 'utf8mb4_unicode_ci',
): Promise<TestDatabase> {
  const database = `test_${randomBytes(6).toString('hex')}`
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  const connection = mysqlConnectionOf(url)
  const admin = await createConnection(connection)
  await admin.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4 COLLATE ${collation}`)
  await admin.end()
  const pool = createPool({
    ...connection,
    database,
    connectionLimit: 1,
    multipleStatements: true,
    dateStrings: true,
  })
  return {
    url: url.href,
    adapter: (connectionLimit) =>
      new PrismaMariaDb(
        { ...connection, database, acquireTimeout: patientMs, ...(connectionLimit && { connectionLimit }) },
        { database },
      ),
    run: async (script) => void (await pool.query(script)),
    rows: (sql) => pool.query(sql),
    rowsOfAll: (queries) => pool.query(queries.join('; ')),
    async breakConnections() {
      const sql =
        'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()'
      for (const { id } of await pool.query<{ id: number }[]>(sql))
        // It may have ended meanwhile.
        await pool.query(`KILL ${id}`).catch(() => {})
    },
    async drop() {
      await pool.query(`DROP DATABASE ${database}`)
      await pool.end()
    },
  }
}
