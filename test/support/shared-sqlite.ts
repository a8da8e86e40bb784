/**
 * SQLite on one connection, as `@prisma/adapter-better-sqlite3` has it: statements run as they come, also those that belong to no
 * transaction while one is open. That adapter is not used itself, as its driver is compiled when it is installed.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { PrismaLibSql } from '@prisma/adapter-libsql'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'

type Connect = SqlDriverAdapterFactory['connect']
type Adapter = Awaited<ReturnType<Connect>>

/**
 * @param path of the file
 * @param timeoutMs how long a statement waits for a lock. @default that of better-sqlite3
 */
export function sharedSqlite(path: string, timeoutMs = 5_000): SqlDriverAdapterFactory {
  const adapterName = '@prisma/adapter-better-sqlite3'
  const connect = async (): Promise<Adapter> => {
    const connection = new DatabaseSync(path, {
      timeout: timeoutMs,
      readBigInts: true,
      returnArrays: true,
    })
    // The one has a mutex for transactions, the other one for statements.
    const [statements, transactions] = await Promise.all([open(connection), open(connection)])
    return Object.assign(statements, {
      adapterName,
      startTransaction: transactions.startTransaction.bind(transactions),
      dispose: async () => connection.close(),
    })
  }
  return { provider: 'sqlite', adapterName, connect }
}

function open(connection: DatabaseSync): Promise<Adapter> {
  class Shared extends PrismaLibSql {
    override createClient(): never {
      return clientOf(connection) as never
    }
  }
  return new Shared({ url: '' }).connect()
}

/** As much of a client of libsql as its adapter uses. */
function clientOf(connection: DatabaseSync) {
  const execute = async ({ sql, args }: { sql: string; args: readonly unknown[] }) => {
    try {
      const statement = connection.prepare(sql)
      const columns = statement.columns()
      const values = args.map(toSqlite)
      const rows = columns.length > 0 ? statement.all(...values) : []
      const rowsAffected = columns.length > 0 ? 0 : Number(statement.run(...values).changes)
      return {
        columns: columns.map(({ name }) => name),
        columnTypes: columns.map(({ type }) => type ?? ''),
        rows: rows.map((row) => (row as unknown as unknown[]).map(fromSqlite)),
        rowsAffected,
      }
    } catch (error) {
      const { errcode } = error as { errcode?: number }
      throw errcode === undefined ? error : Object.assign(error as Error, { rawCode: errcode })
    }
  }
  const run = (sql: string) => () => execute({ sql, args: [] })
  return {
    execute,
    executeMultiple: async (script: string) => connection.exec(script),
    transaction: async () => {
      await run('BEGIN')()
      return { execute, commit: run('COMMIT'), rollback: run('ROLLBACK') }
    },
  }
}

function toSqlite(value: unknown): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)
}

function fromSqlite(value: unknown): unknown {
  return value instanceof Uint8Array ? Uint8Array.from(value).buffer : value
}
