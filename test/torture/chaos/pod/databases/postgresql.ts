import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type FeatureFlags, Prisma, PrismaClient } from '#prisma/client/client.js'
import type { DatabaseAccess } from '../../databases/database-access.ts'
import {
  type DirectLot,
  type FlagTransaction,
  type PodDatabase,
  type RaisedFlag,
  selectLots,
  UnknownEnd,
} from './pod-database.ts'

/** Of the driver, which gives up some statements that PostgreSQL continues. */
const QUERY_TIMEOUT_MS = 1_500

/** Prisma 6 never gives back a connection that is lost at COMMIT or ROLLBACK, so its pool has to last until the end. */
const PRISMA_CONNECTIONS = Prisma.prismaVersion.client.startsWith('6.') ? 200 : 8

const RAISE = `
  WITH locked AS (SELECT id FROM "FeatureFlags" WHERE id = ANY($1) ORDER BY id FOR UPDATE)
  UPDATE "FeatureFlags" row SET revision = revision + 1, "updatedAt" = now()
  FROM locked WHERE row.id = locked.id RETURNING row.id, revision`

const raise = async (client: pg.Pool | pg.PoolClient, ids: readonly string[]): Promise<RaisedFlag[]> =>
  (await client.query<RaisedFlag>(RAISE, [ids])).rows

export function open({ directUrl, statementMs, url }: DatabaseAccess): PodDatabase {
  const connection = {
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 3_000,
    statement_timeout: statementMs,
    query_timeout: QUERY_TIMEOUT_MS,
  }
  const pool = new pg.Pool(connection)
  const directPool = new pg.Pool({ connectionString: directUrl, max: 2 })
  for (const each of [pool, directPool]) {
    each.on('error', () => {})
    // Also while a client is in use; its statement fails then.
    each.on('connect', (client) => client.on('error', () => {}))
  }
  return {
    adapter: new PrismaPg({ ...connection, max: PRISMA_CONNECTIONS }),
    Client: PrismaClient,
    returnsWritten: true,
    async loadFlags(ids) {
      const sql = 'SELECT id, revision, flags, "updatedAt" FROM "FeatureFlags" WHERE id = ANY($1)'
      return (await pool.query<FeatureFlags>(sql, [ids])).rows
    },
    begin: () => begin(pool),
    direct: {
      lots: async () => (await directPool.query<DirectLot>(selectLots)).rows,
      raise: (ids) => raise(directPool, ids),
    },
    close: () => Promise.all([pool.end(), directPool.end()]),
  }
}

async function begin(pool: pg.Pool): Promise<FlagTransaction> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
  } catch (error) {
    client.release(true)
    throw error
  }
  let isLost = false
  return {
    raise: (ids) => raise(client, ids),
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
