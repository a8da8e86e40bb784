import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import pg from 'pg'
import { lockEmbedded } from './embedded-lock.js'
import type { SqlSession } from './migrate.js'
import { projectRoot } from './project-root.js'

/** An open database of either kind, for Prisma clients, migrations, health checks and shutdown. */
export interface Database {
  readonly kind: 'postgres' | 'embedded'
  /** For logs, without credentials. */
  readonly description: string
  /** For `new PrismaClient({ adapter })`. */
  readonly adapter: PrismaPg | PrismaPGlite
  /** Runs the work on one dedicated connection. */
  withSession<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result>
  /** Throws if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Opens PostgreSQL at `url`. Without `url`, opens the embedded PGlite in `dataDir`. */
export function openDatabase(options: {
  url?: string | undefined
  dataDir?: string | undefined
}): Promise<Database> {
  return options.url ? openPostgres(options.url) : openEmbedded(options.dataDir ?? defaultDataDir())
}

export function defaultDataDir(): string {
  return join(projectRoot(), '.data', 'pglite')
}

async function openPostgres(url: string): Promise<Database> {
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
    async withSession(work) {
      const client = await pool.connect()
      try {
        return await work({
          run: async (script) => void (await client.query(script)),
          rows: async (sql, parameters) => (await client.query(sql, parameters)).rows,
        })
      } finally {
        client.release()
      }
    },
    ping,
    close: () => pool.end(),
  }
}

async function openEmbedded(dataDir: string): Promise<Database> {
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
    // PGlite has a single connection, which is not shared during set-up.
    withSession: (work) =>
      work({
        run: async (script) => void (await db.exec(script)),
        rows: async <Row>(sql: string, parameters?: unknown[]) => (await db.query<Row>(sql, parameters)).rows,
      }),
    ping: async () => void (await db.query('SELECT 1')),
    async close() {
      await db.close()
      await unlock()
    },
  }
}
