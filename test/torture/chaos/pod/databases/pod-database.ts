import type { FeatureFlags } from '#prisma/client/client.js'
import type { DatabaseAccess } from '../../databases/chaos-database.ts'
import type { LotRow } from '../../rows.ts'
import type { Pool } from './pod-driver.ts'

export type RaisedFlag = Pick<FeatureFlags, 'id' | 'revision'>
export type DirectLot = Omit<LotRow, 'bidCount'>
export type PodDatabase = Awaited<ReturnType<typeof openPodDatabase>>

const drivers = {
  postgresql: async (access: DatabaseAccess) => (await import('./postgresql.ts')).open(access),
  pgbouncer: async (access: DatabaseAccess) => (await import('./postgresql.ts')).open(access),
  mariadb: async (access: DatabaseAccess) => (await import('./mariadb.ts')).open(access),
  sqlite: async (access: DatabaseAccess) => (await import('./sqlite.ts')).open(access),
}

const FLAGS = 'FROM "FeatureFlags" WHERE id IN (IDS)'

/** The database as one pod reaches it. */
export async function openPodDatabase(access: DatabaseAccess) {
  const driver = await drivers[access.name](access)
  const { direct, locksRows, now, pool } = driver

  /** A transaction of flags, outside of Prisma. */
  async function begin(from: Pool) {
    const transaction = await from.begin()
    return {
      ...transaction,
      /** Raises the revisions of flags, which it locks in the order of ids, so that two transactions never wait for each other. */
      async raise(ids: readonly string[]): Promise<readonly RaisedFlag[]> {
        if (locksRows) await transaction.rows(`SELECT 1 ${FLAGS} ORDER BY id FOR UPDATE`, ids)
        const changes = `revision = revision + 1, "updatedAt" = ${now}`
        await transaction.rows(`UPDATE "FeatureFlags" SET ${changes} WHERE id IN (IDS)`, ids)
        const raised = await transaction.rows<RaisedFlag>(`SELECT id, revision ${FLAGS}`, ids)
        return raised.map(({ id, revision }) => ({ id, revision: Number(revision) }))
      },
    }
  }

  return {
    ...driver,
    /** Reads flags as the `load` of an application does. */
    async loadFlags(ids: readonly string[]): Promise<FeatureFlags[]> {
      const rows = await pool.rows<FeatureFlags>(`SELECT id, revision, flags, "updatedAt" ${FLAGS}`, ids)
      return rows.map(({ flags, id, revision, updatedAt }) => ({
        id,
        revision: Number(revision),
        flags: typeof flags === 'string' ? JSON.parse(flags) : flags,
        updatedAt: dateOf(updatedAt),
      }))
    },
    begin: () => begin(pool),
    async lots(): Promise<DirectLot[]> {
      const sql = 'SELECT id, "fundraiserId", lot, "sortOrder", status FROM "AuctionItem" ORDER BY id'
      const rows = await direct.rows<DirectLot>(sql)
      return rows.map((row) => ({ ...row, sortOrder: Number(row.sortOrder) }))
    },
    /** In a transaction of its own, and not through a wire. */
    async raiseDirectly(ids: readonly string[]): Promise<readonly RaisedFlag[]> {
      const transaction = await begin(direct)
      let isBroken = true
      try {
        const raised = await transaction.raise(ids)
        await transaction.commit()
        isBroken = false
        return raised
      } catch (error) {
        await transaction.rollback()
        throw error
      } finally {
        transaction.release(isBroken)
      }
    },
  }
}

/** @param date as text without a zone, it is in UTC */
const dateOf = (date: Date | string): Date =>
  new Date(typeof date === 'string' && !date.includes('+') ? `${date}Z` : date)
