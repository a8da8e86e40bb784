import { Redis } from 'ioredis'
import { type DatabaseServer } from './database-server.ts'

/** The log of a database, by which it shows when a follower has taken everything. */
export interface DatabaseLog {
  /** Where it ends. */
  end(): Promise<string>
  /** Whether a follower has taken everything up to there. */
  hasTaken(end: string): Promise<boolean>
  /** Has the next follower begin with empty caches. */
  forget(): Promise<void>
  close(): void
}

/** @param primary that writes the log, where the followed database is a standby */
export const postgresqlLog = (
  followed: Pick<DatabaseServer, 'rows'>,
  primary?: Pick<DatabaseServer, 'rows'>,
): DatabaseLog => ({
  async end() {
    // A standby can only have what is on the disk of its primary, and all commits are.
    const position = primary ? 'pg_current_wal_flush_lsn()' : 'pg_current_wal_insert_lsn()'
    const [row] = await (primary ?? followed).rows<{ lsn: string }>(`SELECT ${position}::text AS lsn`)
    return row!.lsn
  },
  async hasTaken(end) {
    const [row] = await followed.rows<{ has: boolean }>(
      `SELECT coalesce(bool_or(confirmed_flush_lsn >= '${end}'::pg_lsn), false) AS has FROM pg_replication_slots WHERE active`,
    )
    return row!.has
  },
  // The next follower has another temporary slot, or a new one.
  forget: async () => {},
  close() {},
})

/** @param valkeyUrl where a follower notes how far the caches have taken the log */
export function mariadbLog(followed: DatabaseServer, valkeyUrl: string): DatabaseLog {
  const store = new Redis(valkeyUrl.replace(/^valkey/, 'redis'))
  store.on('error', () => {})
  const note = `mc:{follow}:log:mysql:${new URL(followed.url).pathname.slice(1)}`
  return {
    async end() {
      const [row] = await followed.rows<{ File: string; Position: bigint }>('SHOW MASTER STATUS')
      // As a follower notes it.
      return String(BigInt(/\d+$/.exec(row!.File)![0]) * (1n << 40n) + BigInt(row!.Position))
    },
    async hasTaken(end) {
      const noted = await store.get(note)
      return BigInt(/"position":"(\d+)"/.exec(noted ?? '')?.[1] ?? 0) >= BigInt(end)
    },
    forget: async () => void (await store.del(note)),
    close: () => store.disconnect(),
  }
}
