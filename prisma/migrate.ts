import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationDialects, type Provider } from './migration-dialects.js'
import { projectRoot } from './project-root.js'

/** One database connection, so that locks span several calls. */
export interface SqlSession {
  /** The kind of the database, as in a Prisma schema. */
  readonly provider: Provider
  /** Runs a script of several statements. */
  run(script: string): Promise<void>
  rows<Row>(sql: string): Promise<Row[]>
}

interface Migration {
  name: string
  script: string
  checksum: string
}

/**
 * Applies the pending migrations of the database, each in a transaction. Returns their names.
 *
 * Production uses `prisma migrate deploy`. The embedded database and the tests do not, because its engine is a download.
 */
export async function applyMigrations(session: SqlSession): Promise<string[]> {
  const { history, lock } = migrationDialects[session.provider]
  if (lock) await session.rows(lock.take)
  try {
    await session.run(`CREATE TABLE IF NOT EXISTS _prisma_migrations (${history})`)
    const pending = await findPending(session)
    for (const migration of pending) await apply(session, migration)
    return pending.map(({ name }) => name)
  } finally {
    if (lock) await session.rows(lock.release)
  }
}

/** Returns the names of the pending migrations. Changes nothing. */
export async function pendingMigrations(session: SqlSession): Promise<string[]> {
  const [history] = await session.rows(migrationDialects[session.provider].findHistory)
  const pending = history ? await findPending(session) : readMigrations(session.provider)
  return pending.map(({ name }) => name)
}

async function findPending(session: SqlSession): Promise<Migration[]> {
  const history = await session.rows<{ name: string; checksum: string; finished: unknown }>(
    `SELECT migration_name AS name, checksum, finished_at AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  )
  const applied = new Map(history.map((entry) => [entry.name, entry]))
  return readMigrations(session.provider).filter(({ name, checksum }) => {
    const entry = applied.get(name)
    if (!entry) return true
    if (entry.finished === null) {
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
  const { begin } = migrationDialects[session.provider]
  const record = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
    VALUES ('${randomUUID()}', '${checksum}', '${name}', CURRENT_TIMESTAMP, 1)`
  try {
    await session.run(`${begin};\n${script.trimEnd().replace(/;$/, '')};\n${record};\nCOMMIT`)
  } catch (error) {
    // Some have rolled back by themselves.
    await session.run('ROLLBACK').catch(() => {})
    throw new Error(`Migration ${name} failed: ${String(error)}`, { cause: error })
  }
}

function readMigrations(provider: Provider): Migration[] {
  const folder = join(projectRoot(), 'prisma', migrationDialects[provider].folder)
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  return names.toSorted().map((name) => {
    const script = readFileSync(join(folder, name, 'migration.sql'), 'utf8')
    return { name, script, checksum: createHash('sha256').update(script).digest('hex') }
  })
}
