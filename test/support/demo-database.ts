import pg from 'pg'
import { openDatabase } from '#prisma/database.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import { applyMigrations } from '#prisma/migrate.js'
import { createPostgresDatabase, renamePostgresDatabase } from './postgres-server.ts'
import { createMysqlDatabase } from './mysql-database.ts'
import { mysqlUrl, postgresUrl } from './servers.ts'
import type { TestDatabase } from './test-database.ts'
import { DEMO_DATABASE_VARIABLE } from './test-servers.ts'

/**
 * Creates a database with the tables and rows of the demo: a copy of one that the first call fills, as copying takes a tenth of the time.
 *
 * @param adminUrl the administrator's URL of a server. @default that of the test run
 */
export async function createDemoDatabase(adminUrl = postgresUrl()): Promise<TestDatabase> {
  const template = process.env[DEMO_DATABASE_VARIABLE]!
  const administrator = new pg.Client({ connectionString: adminUrl })
  await administrator.connect()
  try {
    // Workers of Jest ask at the same time. The lock is that of the session.
    await administrator.query(`SELECT pg_advisory_lock(hashtext('${template}'))`)
    const found = await administrator.query(`SELECT FROM pg_database WHERE datname = '${template}'`)
    if (found.rowCount === 0) {
      const filled = await createPostgresDatabase(adminUrl)
      await fill(filled.url)
      await renamePostgresDatabase(adminUrl, filled, template)
    }
  } finally {
    await administrator.end()
  }
  return createPostgresDatabase(adminUrl, template)
}

/** The same on the MySQL or MariaDB of the test run. */
export async function createMysqlDemoDatabase(): Promise<TestDatabase> {
  const created = await createMysqlDatabase(mysqlUrl())
  await fill(created.url)
  return created
}

async function fill(url: string): Promise<void> {
  const database = await openDatabase({ url })
  await database.withSession(applyMigrations)
  const prisma = new database.Client({ adapter: database.adapter })
  await seedDemo(prisma)
  await prisma.$disconnect()
  await database.close()
}
