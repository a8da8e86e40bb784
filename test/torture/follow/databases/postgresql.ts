import pg from 'pg'
import { openPostgres } from '../../bench/built.ts'
import { currentLsn, isConfirmed } from '../../slots.ts'
import { insertUsers, numbers, valuesOf } from '../../users.ts'
import { CITIES, ROWS } from '../judge-reads.ts'
import type { FollowedDatabase } from './followed-database.ts'

/** As a server that is not for tests: the follower gets a transaction when it is on disk, which a lazy commit postpones by 200 ms. */
const SETTINGS = {
  wal_level: 'logical',
  max_replication_slots: '20',
  max_wal_senders: '20',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
}

export async function openPostgresql(): Promise<FollowedDatabase> {
  const postgres = await openPostgres(SETTINGS)
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  await pool.query(insertUsers, valuesOf(numbers(ROWS), 0, CITIES))
  return {
    title: postgres.name,
    url: postgres.url,
    run: async (script) => void (await pool.query(script)),
    rows: async <Row>(sql: string) => (await pool.query(sql)).rows as Row[],
    async crash() {
      // Otherwise it takes long to recover.
      await pool.query('CHECKPOINT')
      const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      process.kill(rows[0]!.pid, 'SIGKILL')
    },
    end: () => currentLsn(pool),
    hasTaken: (end) => isConfirmed(pool, end),
    // The next follower has another temporary slot, or a new one.
    forget: async () => {},
    async close() {
      await pool.end()
      await postgres.close()
    },
  }
}
