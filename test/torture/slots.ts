import type pg from 'pg'

/** Where the log of the database ends. */
export async function currentLsn(database: pg.Pool): Promise<string> {
  const { rows } = await database.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn() AS lsn')
  return rows[0]!.lsn
}

/** Whether a follower has taken all up to there. */
export async function isConfirmed(database: pg.Pool, lsn: string): Promise<boolean> {
  const { rows } = await database.query<{ has: boolean }>(
    `SELECT coalesce(bool_or(confirmed_flush_lsn >= $1::pg_lsn), false) AS has FROM pg_replication_slots WHERE active`,
    [lsn],
  )
  return rows[0]!.has
}
