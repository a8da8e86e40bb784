import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from './client/client.js'
import type { Database } from './opened-database.js'

export async function openPostgres(url: string): Promise<Database> {
  const { host, pathname } = new URL(url)
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5000 })
  // The pool replaces idle connections that the server drops. Without a listener, their 'error' event would be fatal.
  pool.on('error', () => {})
  const ping = async (): Promise<void> => {
    await pool.query('SELECT 1')
  }
  await ping().catch(async (error: unknown) => {
    await pool.end()
    throw error
  })

  return {
    kind: 'postgres',
    description: `PostgreSQL at ${host}${pathname}`,
    adapter: new PrismaPg(pool),
    Client: PrismaClient,
    async withSession(work) {
      const client = await pool.connect()
      try {
        return await work({
          provider: 'postgresql',
          run: async (script) => void (await client.query(script)),
          rows: async (sql) => (await client.query(sql)).rows,
        })
      } finally {
        client.release()
      }
    },
    ping,
    close: () => pool.end(),
  }
}
