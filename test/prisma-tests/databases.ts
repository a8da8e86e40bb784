import { createMysqlDatabase } from '../support/mysql-database.ts'
import { createPostgresDatabase } from '../support/postgres-database.ts'
import { createSqliteDatabase } from '../support/sqlite-database.ts'
import type { TestDatabase } from '../support/test-database.ts'

/** How Prisma's matrices call the adapter by which the database of a run is reached. */
export const drivers = { postgresql: 'js_pg', mysql: 'js_mariadb', sqlite: 'js_libsql' } as const

export function createTestDatabase(provider: keyof typeof drivers): Promise<TestDatabase> {
  if (provider === 'sqlite') return createSqliteDatabase()
  const create = provider === 'mysql' ? createMysqlDatabase : createPostgresDatabase
  return create(process.env.PRISMA_TESTS_SERVER!)
}
