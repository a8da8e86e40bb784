import { Logger } from '@nestjs/common'
import { kindOf, openDatabase } from '#prisma/database.js'
import type { Database } from '#prisma/database.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import { EmbeddedDatabaseInUseError } from '#prisma/embedded-lock.js'
import { applyMigrations, pendingMigrations } from '#prisma/migrate.js'
import type { AppConfig } from '../../config/app-config.js'
import { StartError } from '../../config/start-error.js'

/** Opens the configured database and migrates it. Seeds a database without a server of its own on its first start. */
export async function openAppDatabase(config: AppConfig): Promise<Database> {
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir }).catch(
    (error: unknown) => throwOpenError(config, error),
  )
  try {
    const hasServer = database.kind === 'postgres' || database.kind === 'mysql'
    if (config.production && hasServer) await requireMigrated(database)
    else await migrate(database)
    if (!hasServer) await seedOnFirstStart(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function migrate(database: Database): Promise<void> {
  const applied = await database.withSession(applyMigrations)
  if (applied.length > 0)
    new Logger('Database').log(`Applied ${applied.join(', ')} to ${database.description}`)
}

/** In production the deployment applies migrations, not the first pod that starts. */
async function requireMigrated(database: Database): Promise<void> {
  const pending = await database.withSession(pendingMigrations)
  if (pending.length === 0) return
  throw new StartError(
    `DATABASE_URL: migrations are missing in ${database.description}: ${pending.join(', ')}. ` +
      `Run \`npx prisma migrate deploy\` first, or start without NODE_ENV=production to apply them at start.`,
  )
}

async function seedOnFirstStart({ adapter, Client, description, kind }: Database): Promise<void> {
  // model-cache: writes before any cache has a row
  const prisma = new Client({ adapter })
  if ((await prisma.fundraiser.count()) > 0) return
  await seedDemo(prisma, kind)
  new Logger('Database').log(`Seeded ${description} with the demo auction`)
}

function throwOpenError({ databaseUrl }: AppConfig, error: unknown): never {
  if (error instanceof EmbeddedDatabaseInUseError) throw new StartError(error.message, { cause: error })
  if (databaseUrl === undefined) throw error
  const kind = kindOf(databaseUrl)
  const name = { postgres: 'PostgreSQL', mysql: 'MySQL or MariaDB', sqlite: 'the file of SQLite' }[kind]
  const place = kind === 'sqlite' ? databaseUrl : `at ${new URL(databaseUrl).host}`
  // A refused or unresolved connection is an AggregateError without a message.
  const { message, code } = error as { message?: string; code?: string }
  throw new StartError(
    `DATABASE_URL: cannot connect to ${name} ${place}: ${message || code}. ` +
      `Start it, correct DATABASE_URL, or unset it to use the embedded database.`,
    { cause: error },
  )
}
