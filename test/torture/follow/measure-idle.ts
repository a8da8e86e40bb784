import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from '../bench/harness.ts'
import type { DatabaseServer } from '../databases/database-server.ts'
import { SLOT } from './world.ts'

/** How often something else is written. */
const WRITE_MS = 50
/** Of the log, by a write. */
const ROWS_AT_ONCE = 50
/** Deadline for the slot to follow once nothing is written. */
const REST_MS = 10_000

export type Idle = Awaited<ReturnType<typeof measureIdle>>

/** Writes tables and databases that nobody follows, and looks at how much of the log the slot retains. */
export async function measureIdle(database: DatabaseServer, ms: number) {
  say('Writing other tables and databases …')
  await database.run('CREATE DATABASE beside')
  await database.run('CREATE TABLE beside (text text)')
  const { href: connectionString } = Object.assign(new URL(database.url), { pathname: '/beside' })
  const other = new pg.Client({ connectionString })
  await other.connect()
  try {
    await other.query('CREATE TABLE beside (text text)')
    const insert = `INSERT INTO beside SELECT repeat('x', 200) FROM generate_series(1, ${ROWS_AT_ONCE})`
    const first = await lookAt(database)
    const start = performance.now()
    let longestRetainedWalBytes = 0
    while (performance.now() - start < ms) {
      await Promise.all([database.run(insert), other.query(insert)])
      longestRetainedWalBytes = Math.max(longestRetainedWalBytes, (await lookAt(database)).retained)
      await sleep(WRITE_MS)
    }
    const seconds = (performance.now() - start) / 1_000
    const written = (await lookAt(database)).position - first.position
    let { retained } = await lookAt(database)
    for (const end = performance.now() + REST_MS; performance.now() < end && retained > littleOf(written);) {
      await sleep(100)
      retained = (await lookAt(database)).retained
    }
    return {
      seconds: Math.round(seconds),
      /** Of the log, by tables and databases that no cache knows. */
      writtenWalBytes: written,
      /** The most that the slot had not confirmed while they were written. */
      longestRetainedWalBytes,
      /** What it had not confirmed soon after the last of them. */
      retainedWalBytes: retained,
    }
  } finally {
    await other.end()
  }
}

/** What may be retained of what was written: the log goes on without writers as well. */
export const littleOf = (writtenWalBytes: number): number => writtenWalBytes / 10

async function lookAt(database: DatabaseServer): Promise<{ position: number; retained: number }> {
  const [row] = await database.rows<{ position: string; retained: string }>(
    `SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS position, pg_current_wal_lsn() - confirmed_flush_lsn AS retained
     FROM pg_replication_slots WHERE slot_name = '${SLOT}'`,
  )
  return { position: Number(row!.position), retained: Number(row!.retained) }
}
