import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.js'

/** One database connection, so that locks and transactions can span several calls. */
export interface SqlSession {
  /** Runs a script of several statements. */
  run(script: string): Promise<void>
  rows<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>
}

interface Migration {
  name: string
  script: string
  checksum: string
}

/** The advisory lock that Prisma's engine takes to migrate. */
const PRISMA_LOCK = 72_707_369

/** Matches the table of Prisma's engine, so that `prisma migrate deploy` can be used on the same database. */
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  id                  VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum            VARCHAR(64) NOT NULL,
  finished_at         TIMESTAMPTZ,
  migration_name      VARCHAR(255) NOT NULL,
  logs                TEXT,
  rolled_back_at      TIMESTAMPTZ,
  started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

/**
 * Applies the pending migrations of prisma/migrations, each in a transaction. Returns their names.
 *
 * Production uses `prisma migrate deploy`. The embedded database and the tests do not, because its engine is a download.
 */
export async function applyMigrations(session: SqlSession): Promise<string[]> {
  await session.rows('SELECT pg_advisory_lock($1)', [PRISMA_LOCK])
  try {
    await session.run(HISTORY_TABLE)
    const pending = await findPending(session)
    for (const migration of pending) await apply(session, migration)
    return pending.map(({ name }) => name)
  } finally {
    await session.rows('SELECT pg_advisory_unlock($1)', [PRISMA_LOCK])
  }
}

/** Returns the names of the pending migrations. Changes nothing. */
export async function pendingMigrations(session: SqlSession): Promise<string[]> {
  const [history] = await session.rows<{ table: string | null }>(
    `SELECT to_regclass('"_prisma_migrations"')::text AS table`,
  )
  const pending = history?.table ? await findPending(session) : readMigrations()
  return pending.map(({ name }) => name)
}

async function findPending(session: SqlSession): Promise<Migration[]> {
  const history = await session.rows<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`,
  )
  const applied = new Map(history.map((entry) => [entry.name, entry]))
  return readMigrations().filter(({ name, checksum }) => {
    const entry = applied.get(name)
    if (!entry) return true
    if (!entry.finished) {
      throw new Error(
        `Migration ${name} was started on this database but did not finish. Run prisma migrate resolve.`,
      )
    }
    if (entry.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it was applied to this database. ` +
          `Move the change to a new migration, or delete an embedded database (.data/pglite).`,
      )
    }
    return false
  })
}

async function apply(session: SqlSession, { name, script, checksum }: Migration): Promise<void> {
  await session.run('BEGIN')
  try {
    await session.run(script)
    await session.rows(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    )
    await session.run('COMMIT')
  } catch (error) {
    await session.run('ROLLBACK')
    throw new Error(`Migration ${name} failed and was rolled back: ${String(error)}`, { cause: error })
  }
}

function readMigrations(): Migration[] {
  const folder = join(projectRoot(), 'prisma', 'migrations')
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  return names.toSorted().map((name) => {
    const script = readFileSync(join(folder, name, 'migration.sql'), 'utf8')
    return { name, script, checksum: createHash('sha256').update(script).digest('hex') }
  })
}
