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
  const rows = async <Row>(sql: string): Promise<Row[]> => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement.all() as Row[]
  }
  return {
    url,
    adapter: () => new PrismaLibSql({ url, intMode: 'bigint' }),
    run: async (script) => database.exec(script),
    rows,
    rowsOfAll: (queries) => Promise.all(queries.map((sql) => rows<object>(sql))),
    async drop() {
      database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
