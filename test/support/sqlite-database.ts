import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PrismaLibSql } from '@prisma/adapter-libsql'
import type { TestDatabase } from './test-database.ts'

/** Creates a fresh, empty SQLite file in a folder of its own. */
export async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'))
  const path = join(folder, 'test.db')
  const url = `file:${path}`
  const database = new DatabaseSync(path, { timeout: 5000 })
  return {
    url,
    adapter: () => new PrismaLibSql({ url, intMode: 'bigint' }),
    run: async (script) => database.exec(script),
    rows: async <Row>(sql: string) => database.prepare(sql).all() as Row[],
    async drop() {
      database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
