import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { type Connection, createPool, type Pool, type PoolConnection, SqlError } from 'mariadb'
import type { FeatureFlags, PrismaClient } from '#prisma/client/client.js'
import { PrismaClient as MysqlClient } from '#prisma/mysql/client/client.js'
import { quoted } from '../../databases/chaos-database.ts'
import type { DatabaseAccess } from '../../databases/database-access.ts'
import {
  type DirectLot,
  type FlagTransaction,
  type PodDatabase,
  type RaisedFlag,
  selectLots,
  UnknownEnd,
} from './pod-database.ts'

const sql = (text: string): string => quoted({ kind: 'mysql' }, text)
const LOCK = sql('SELECT 1 FROM "FeatureFlags" WHERE id IN (?) ORDER BY id FOR UPDATE')
const RAISE = sql('UPDATE "FeatureFlags" SET revision = revision + 1, "updatedAt" = now(3) WHERE id IN (?)')
const RAISED = sql('SELECT id, revision FROM "FeatureFlags" WHERE id IN (?)')
const LOAD = sql('SELECT id, revision, flags, "updatedAt" FROM "FeatureFlags" WHERE id IN (?)')

async function raise(client: Connection, ids: readonly string[]): Promise<RaisedFlag[]> {
  await client.query(LOCK, [ids])
  await client.query(RAISE, [ids])
  return client.query<RaisedFlag[]>(RAISED, [ids])
}

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

export function open({ directUrl, url }: DatabaseAccess): PodDatabase {
  const connection = connectionOf(url)
  const pool = createPool({ ...connection, connectionLimit: 10 })
  const directPool = createPool({ ...connectionOf(directUrl), connectionLimit: 2 })
  return {
    adapter: new PrismaMariaDb({ ...connection, connectionLimit: 8 }),
    Client: MysqlClient as unknown as typeof PrismaClient,
    returnsWritten: false,
    async loadFlags(ids) {
      const rows = await pool.query<(FeatureFlags & { updatedAt: string })[]>(LOAD, [ids])
      return rows.map((row) => ({ ...row, updatedAt: new Date(`${row.updatedAt}Z`) }))
    },
    begin: () => begin(pool),
    direct: {
      lots: () => directPool.query<DirectLot[]>(sql(selectLots)),
      async raise(ids) {
        const transaction = await begin(directPool)
        let isBroken = true
        try {
          const raised = await transaction.raise(ids)
          await transaction.commit()
          isBroken = false
          return raised
        } finally {
          transaction.release(isBroken)
        }
      },
    },
    close: () => Promise.all([pool.end(), directPool.end()]),
  }
}

async function begin(pool: Pool): Promise<FlagTransaction> {
  const client: PoolConnection = await pool.getConnection()
  let isLost = false
  const giveBack = (isBroken: boolean): void => {
    if (isBroken) client.destroy()
    else void client.release().catch(() => {})
  }
  try {
    await client.beginTransaction()
  } catch (error) {
    giveBack(true)
    throw error
  }
  return {
    raise: (ids) => raise(client, ids),
    async commit() {
      try {
        await client.query('COMMIT')
      } catch (error) {
        if (error instanceof SqlError && !error.fatal && error.sqlState) throw error
        throw new UnknownEnd('', { cause: error })
      }
    },
    async rollback() {
      await client.rollback().catch(() => (isLost = true))
    },
    release: (isBroken) => giveBack(isBroken || isLost),
  }
}
