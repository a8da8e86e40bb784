import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '#prisma/client/client.js'
import { applyMigrations } from '#prisma/migrate.js'
import { openSqlite } from '#prisma/open-sqlite.js'

/** A SQLite with the tables of the demo, for specs that need a database and no server. */
export async function createSqliteDemo(): Promise<{
  /** A new plain client. */
  client: () => PrismaClient
  close: () => Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-demo-'))
  const database = await openSqlite(`file:${join(folder, 'demo.db')}`)
  await database.withSession(applyMigrations)
  const clients: PrismaClient[] = []
  return {
    client() {
      const client = new database.Client({ adapter: database.adapter })
      clients.push(client)
      return client
    },
    async close() {
      await Promise.all(clients.map((client) => client.$disconnect()))
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * A client of PostgreSQL that never connects, for what its schema says.
 *
 * @param onError receives what an application would log
 */
export function unconnectedPostgres(onError: (error: unknown) => void = () => {}): PrismaClient {
  const adapter = new PrismaPg({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' })
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'error' }] })
  return client.$on('error', onError) as PrismaClient
}
