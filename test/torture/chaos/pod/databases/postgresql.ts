import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { Prisma, PrismaClient } from '#prisma/client/client.js'
import { openPool } from '../../../databases/open-pool.ts'
import type { DatabaseAccess } from '../../databases/chaos-database.ts'
import { beginOn, type PodDriver, type Pool } from './pod-driver.ts'

/** Of the driver, which gives up some statements that PostgreSQL continues. */
const QUERY_TIMEOUT_MS = 1_500

/** Prisma 6 never gives back a connection that is lost at COMMIT or ROLLBACK, so its pool has to last until the end. */
const PRISMA_CONNECTIONS = Prisma.prismaVersion.client.startsWith('6.') ? 200 : 8

export function open({ directUrl, statementMs, url }: DatabaseAccess): PodDriver {
  const connection = {
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 3_000,
    statement_timeout: statementMs,
    query_timeout: QUERY_TIMEOUT_MS,
  }
  const pools = [openPool(url, connection), openPool(directUrl, { max: 2 })] as const
  return {
    adapter: new PrismaPg({ ...connection, max: PRISMA_CONNECTIONS }),
    Client: PrismaClient,
    returnsWritten: true,
    locksRows: true,
    now: 'now()',
    pool: poolOf(pools[0]),
    direct: poolOf(pools[1]),
    close: () => Promise.all(pools.map((pool) => pool.end())),
  }
}

const rowsBy =
  (client: pg.Pool | pg.PoolClient): Pool['rows'] =>
  async <Row>(sql: string, ids?: readonly string[]) =>
    (await client.query(sql.replace('IN (IDS)', '= ANY($1)'), ids && [ids])).rows as Row[]

// FATAL errors may follow a commit.
const isReply = (error: unknown): boolean => error instanceof pg.DatabaseError && error.severity === 'ERROR'

const poolOf = (pool: pg.Pool): Pool => ({
  rows: rowsBy(pool),
  async begin() {
    const client = await pool.connect()
    return beginOn({ rows: rowsBy(client), release: (isBroken) => client.release(isBroken) }, isReply)
  },
})
