import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { PrismaLibSql } from '@prisma/adapter-libsql'
import type { PrismaClient } from './client/client.js'
import type { Database } from './opened-database.js'
import { PrismaClient as SqliteClient } from './sqlite/client/client.js'

/** Milliseconds that a write waits for those of other processes. The default is 0. */
const LOCK_TIMEOUT_MS = 5_000

export async function openSqlite(url: string): Promise<Database> {
  mkdirSync(dirname(url.slice('file:'.length)), { recursive: true })
  const adapter = new PrismaLibSql({ url, intMode: 'bigint', timeout: LOCK_TIMEOUT_MS })
  // For everything but Prisma's queries.
  const connection = await adapter.connect()
  const rows = async <Row>(sql: string): Promise<Row[]> => {
    const found = await connection.queryRaw({ sql, args: [], argTypes: [] })
    return found.rows.map(
      (row) => Object.fromEntries(row.map((value, i) => [found.columnNames[i]!, value])) as Row,
    )
  }
  // Readers do not wait for the writer, nor the writer for them.
  await rows('PRAGMA journal_mode = WAL')

  return {
    kind: 'sqlite',
    description: `SQLite in ${url.slice('file:'.length)}`,
    adapter,
    Client: SqliteClient as unknown as typeof PrismaClient,
    withSession: (work) =>
      work({ provider: 'sqlite', run: (script) => connection.executeScript(script), rows }),
    ping: async () => void (await rows('SELECT 1')),
    close: () => connection.dispose(),
  }
}
