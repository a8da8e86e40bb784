import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { type Connection, createPool, type Pool as MariadbPool, SqlError } from 'mariadb'
import type { PrismaClient } from '#prisma/client/client.js'
import { PrismaClient as MysqlClient } from '#prisma/mysql/client/client.js'
import { quoted } from '../../../databases/database-server.ts'
import type { DatabaseAccess } from '../../databases/chaos-database.ts'
import { beginOn, type PodDriver, type Pool } from './pod-driver.ts'

const connectionOf = (url: string) => {
  const { hostname, password, pathname, port, username } = new URL(url)
  return {
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database: pathname.slice(1),
    connectTimeout: 3_000,
    acquireTimeout: 3_000,
    dateStrings: true,
  }
}

export function open({ directUrl, url }: DatabaseAccess): PodDriver {
  const connection = connectionOf(url)
  const pools = [
    createPool({ ...connection, connectionLimit: 10 }),
    createPool({ ...connectionOf(directUrl), connectionLimit: 2 }),
  ] as const
  return {
    adapter: new PrismaMariaDb({ ...connection, connectionLimit: 8 }),
    Client: MysqlClient as unknown as typeof PrismaClient,
    returnsWritten: false,
    locksRows: true,
    now: 'now(3)',
    pool: poolOf(pools[0]),
    direct: poolOf(pools[1]),
    close: () => Promise.all(pools.map((pool) => pool.end())),
  }
}

const rowsBy =
  (client: MariadbPool | Connection): Pool['rows'] =>
  (sql, ids) =>
    client.query(quoted({ kind: 'mysql' }, sql.replace('IDS', '?')), ids && [ids])

const isReply = (error: unknown): boolean =>
  error instanceof SqlError && !error.fatal && Boolean(error.sqlState)

const poolOf = (pool: MariadbPool): Pool => ({
  rows: rowsBy(pool),
  async begin() {
    const client = await pool.getConnection()
    const release = (isBroken: boolean): void => {
      if (isBroken) client.destroy()
      else void client.release().catch(() => {})
    }
    return beginOn({ rows: rowsBy(client), release }, isReply)
  },
})
