import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { PrismaClient } from './client/client.js'
import type { Database } from './opened-database.js'
import { lockEmbedded } from './embedded-lock.js'
import { projectRoot } from './project-root.js'

const defaultDataDir = (): string => join(projectRoot(), '.data', 'pglite')

/** Opens PGlite in this process, with its files in `dataDir`. */
export async function openEmbedded(dataDir = defaultDataDir()): Promise<Database> {
  mkdirSync(dirname(dataDir), { recursive: true })
  const unlock = await lockEmbedded(dataDir)
  const db = await PGlite.create(dataDir).catch(async (error: unknown) => {
    await unlock()
    throw new Error(
      `Opening the embedded database in ${dataDir} failed: ${String(error)}. ` +
        `Delete that folder to start with an empty one, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    )
  })

  return {
    kind: 'embedded',
    description: `embedded PGlite in ${dataDir}`,
    adapter: new PrismaPGlite(db),
    Client: PrismaClient,
    // PGlite has a single connection, which is not shared during set-up.
    withSession: (work) =>
      work({
        provider: 'postgresql',
        run: async (script) => void (await db.exec(script)),
        rows: async <Row>(sql: string) => (await db.query<Row>(sql)).rows,
      }),
    ping: async () => void (await db.query('SELECT 1')),
    async close() {
      await db.close()
      await unlock()
    },
  }
}
