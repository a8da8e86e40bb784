import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { Prisma, PrismaClient } from '#prisma/client/client.js'
import { openPool } from '../../../databases/open-pool.ts'
import type { DatabaseAccess } from '../../databases/chaos-database.ts'
import { type PodDriver, type Pool, type Transaction, UnknownEnd } from './pod-driver.ts'

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

const poolOf = (pool: pg.Pool): Pool => ({ rows: rowsBy(pool), begin: () => begin(pool) })

async function begin(pool: pg.Pool): Promise<Transaction> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
  } catch (error) {
    client.release(true)
    throw error
  }
  let isLost = false
  return {
    rows: rowsBy(client),
    async commit() {
      try {
        await client.query('COMMIT')
      } catch (error) {
        // FATAL errors may follow a commit.
        if (error instanceof pg.DatabaseError && error.severity === 'ERROR') throw error
        throw new UnknownEnd('', { cause: error })
      }
    },
    async rollback() {
      await client.query('ROLLBACK').catch(() => (isLost = true))
    },
    release: (isBroken) => client.release(isBroken || isLost),
  }
}
