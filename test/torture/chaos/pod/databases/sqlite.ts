import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import type { PrismaClient } from '#prisma/client/client.js'
import { PrismaClient as SqliteClient } from '#prisma/sqlite/client/client.js'
import { ReconnectingLibSql } from '../../../../support/reconnecting-libsql.ts'
import type { DatabaseAccess } from '../../databases/chaos-database.ts'
import type { PodDriver, Pool, Transaction } from './pod-driver.ts'

type Connection = Awaited<ReturnType<SqlDriverAdapterFactory['connect']>>

export async function open({ statementMs, url }: DatabaseAccess): Promise<PodDriver> {
  const libsql = new ReconnectingLibSql({ url, intMode: 'bigint', timeout: statementMs })
  // A process has one: while one connection waits for a lock, the process does nothing else, so it would not end the transaction of another.
  const connection = await libsql.connect()
  const pool = { rows: rowsBy(connection), begin: () => begin(connection) }
  return {
    adapter: { provider: 'sqlite', adapterName: libsql.adapterName, connect: async () => connection },
    Client: SqliteClient as unknown as typeof PrismaClient,
    returnsWritten: true,
    locksRows: false,
    now: `strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')`,
    pool,
    direct: pool,
    // With the client.
    close: async () => {},
  }
}

const rowsBy =
  (connection: Pick<Connection, 'queryRaw'>): Pool['rows'] =>
  async <Row>(sql: string, ids: readonly string[] = []) => {
    const { columnNames, rows } = await connection.queryRaw({
      sql: sql.replace('IDS', ids.map(() => '?').join(', ')),
      args: [...ids],
      argTypes: ids.map(() => ({ scalarType: 'string', arity: 'scalar' }) as const),
    })
    return rows.map((row) => Object.fromEntries(row.map((value, i) => [columnNames[i]!, value])) as Row)
  }

async function begin(connection: Connection): Promise<Transaction> {
  const transaction = await connection.startTransaction()
  return {
    rows: rowsBy(transaction),
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
    release: () => {},
  }
}
