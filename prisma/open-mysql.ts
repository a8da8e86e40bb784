import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { createPool } from 'mariadb'
import type { PrismaClient } from './client/client.js'
import type { Database } from './opened-database.js'
import { PrismaClient as MysqlClient } from './mysql/client/client.js'

export async function openMysql(url: string): Promise<Database> {
  const { host, hostname, password, pathname, port, username } = new URL(url)
  const connection = {
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    connectTimeout: 5_000,
  }
  // For everything but Prisma's queries.
  const pool = createPool({
    ...connection,
    connectionLimit: 1,
    acquireTimeout: 6_000,
    multipleStatements: true,
  })
  const ping = async (): Promise<void> => {
    await pool.query('SELECT 1')
  }
  await ping().catch(async (error: unknown) => {
    await pool.end()
    throw error
  })

  return {
    kind: 'mysql',
    description: `MySQL or MariaDB at ${host}${pathname}`,
    adapter: new PrismaMariaDb({ ...connection, connectionLimit: 10 }),
    Client: MysqlClient as unknown as typeof PrismaClient,
    async withSession(work) {
      const client = await pool.getConnection()
      try {
        return await work({
          provider: 'mysql',
          run: async (script) => void (await client.query(script)),
          rows: (sql) => client.query(sql),
        })
      } finally {
        await client.release()
      }
    },
    ping,
    close: () => pool.end(),
  }
}
