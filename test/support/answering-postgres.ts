import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { PrismaClient } from '#prisma/client/client.js'

/** As Prisma numbers the types of columns. */
const [int64, text] = [1, 7] as const

/** A client of a PostgreSQL that answers each statement with a row, and with no rows if there is none. */
export function answeringPostgres(
  rowFor: (sql: string) => Readonly<Record<string, string>> | undefined,
): PrismaClient {
  const queryRaw = async ({ sql }: { readonly sql: string }) => {
    const row = rowFor(sql)
    const columnNames = Object.keys(row ?? {})
    const columnTypes = columnNames.map((name) => (name === 'position' ? int64 : text))
    return { columnNames, columnTypes, rows: row ? [Object.values(row)] : [] }
  }
  const connection = {
    provider: 'postgres',
    adapterName: 'answering',
    queryRaw,
    executeRaw: async () => 0,
    executeScript: async () => {},
    dispose: async () => {},
  }
  const adapter: SqlDriverAdapterFactory = {
    provider: 'postgres',
    adapterName: 'answering',
    connect: async () => connection as never,
  }
  return new PrismaClient({ adapter })
}
