import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import type { PrismaClient } from '#prisma/client/client.js'
import { PrismaClient as SqliteClient } from '#prisma/sqlite/client/client.js'
import type { DatabaseAccess } from '../../databases/database-access.ts'
import {
  type DirectLot,
  type FlagTransaction,
  type PodDatabase,
  type RaisedFlag,
  selectLots,
} from './pod-database.ts'
import { ReconnectingLibSql } from '../../../../support/reconnecting-libsql.ts'

type Connection = Awaited<ReturnType<SqlDriverAdapterFactory['connect']>>

const NOW = `strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')`

async function rowsOf<Row>(
  connection: Pick<Connection, 'queryRaw'>,
  sql: string,
  ids: readonly string[] = [],
): Promise<Row[]> {
  const argTypes = ids.map(() => ({ scalarType: 'string', arity: 'scalar' }) as const)
  const marks = ids.map(() => '?').join(', ')
  const { columnNames, rows } = await connection.queryRaw({
    sql: sql.replace('IDS', marks),
    args: [...ids],
    argTypes,
  })
  return rows.map((row) => Object.fromEntries(row.map((value, i) => [columnNames[i]!, value])) as Row)
}

async function raise(
  connection: Pick<Connection, 'queryRaw'>,
  ids: readonly string[],
): Promise<RaisedFlag[]> {
  const sql = `UPDATE "FeatureFlags" SET revision = revision + 1, "updatedAt" = ${NOW} WHERE id IN (IDS) RETURNING id, revision`
  const rows = await rowsOf<{ id: string; revision: string }>(connection, sql, ids)
  return rows.map(({ id, revision }) => ({ id, revision: Number(revision) }))
}

export async function open({ statementMs, url }: DatabaseAccess): Promise<PodDatabase> {
  const libsql = new ReconnectingLibSql({ url, intMode: 'bigint', timeout: statementMs })
  // A process has one: while one connection waits for a lock, the process does nothing else, so it would not end the transaction of another.
  const connection = await libsql.connect()
  return {
    adapter: { provider: 'sqlite', adapterName: libsql.adapterName, connect: async () => connection },
    Client: SqliteClient as unknown as typeof PrismaClient,
    returnsWritten: true,
    async loadFlags(ids) {
      const sql = 'SELECT id, revision, flags, "updatedAt" FROM "FeatureFlags" WHERE id IN (IDS)'
      const rows = await rowsOf<Record<'id' | 'revision' | 'flags' | 'updatedAt', string>>(
        connection,
        sql,
        ids,
      )
      return rows.map(({ flags, id, revision, updatedAt }) => ({
        id,
        revision: Number(revision),
        flags: JSON.parse(flags) as never,
        updatedAt: new Date(updatedAt),
      }))
    },
    begin: () => begin(connection),
    direct: {
      async lots() {
        const rows = await rowsOf<DirectLot>(connection, selectLots)
        return rows.map((row) => ({ ...row, sortOrder: Number(row.sortOrder) }))
      },
      raise: (ids) => raise(connection, ids),
    },
    // With the client.
    close: async () => {},
  }
}

async function begin(connection: Connection): Promise<FlagTransaction> {
  const transaction = await connection.startTransaction()
  return {
    raise: (ids) => raise(transaction, ids),
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
    release: () => {},
  }
}
