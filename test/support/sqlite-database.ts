import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrismaLibSql } from '@prisma/adapter-libsql'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { sharedSqlite } from './shared-sqlite.ts'
import type { TestDatabase } from './test-database.ts'

/** How clients reach a file: by libsql, with a connection for each transaction, or as by better-sqlite3, with one for all. */
const openers = {
  libsql: (path: string): SqlDriverAdapterFactory =>
    new PrismaLibSql({ url: `file:${path}`, intMode: 'bigint' }),
  shared: (path: string): SqlDriverAdapterFactory => sharedSqlite(path),
}

/**
 * Creates a fresh, empty SQLite file in a folder of its own. All of a process reach it by one copy of SQLite: two copies do not see each
 * other's locks.
 */
export async function createSqliteDatabase(by: keyof typeof openers = 'libsql'): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'))
  const path = join(folder, 'test.db')
  const adapter = (): SqlDriverAdapterFactory => openers[by](path)
  const connection = await adapter().connect()
  const rows = async <Row>(sql: string): Promise<Row[]> => {
    const found = await connection.queryRaw({ sql, args: [], argTypes: [] })
    return found.rows.map(
      (row) => Object.fromEntries(row.map((value, i) => [found.columnNames[i]!, value])) as Row,
    )
  }
  return {
    url: `file:${path}`,
    adapter,
    run: (script) => connection.executeScript(script),
    rows,
    rowsOfAll: (queries) => Promise.all(queries.map((sql) => rows<object>(sql))),
    async breakConnections() {},
    async drop() {
      await connection.dispose()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
