import type pg from 'pg'
import type { PostgresServer } from '../../../support/postgres-server.ts'
import { openPostgres } from '../../bench/built.ts'
import { openPool } from '../../open-pool.ts'
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

export interface Postgresql extends FollowedDatabase {
  readonly server: PostgresServer
}

export async function openPostgresql(): Promise<Postgresql> {
  const { name, server, url, close } = await openPostgres(SETTINGS)
  const pool = openPool(url)
  await pool.query(insertUsers, valuesOf(numbers(ROWS), 0, CITIES))
  const end = (): Promise<string> => currentLsn(pool)
  return { ...followedDatabase({ title: name, url, pool, end, close }), server }
}

/** @param parts its connections, where its log ends, and how it ends itself */
export function followedDatabase({
  close,
  pool,
  ...parts
}: Pick<FollowedDatabase, 'title' | 'url' | 'end' | 'close'> & { readonly pool: pg.Pool }): FollowedDatabase {
  return {
    ...parts,
    run: async (script) => void (await pool.query(script)),
    rows: async <Row>(sql: string) => (await pool.query(sql)).rows as Row[],
    async crash() {
      // Otherwise it takes long to recover.
      await pool.query('CHECKPOINT')
      const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      process.kill(rows[0]!.pid, 'SIGKILL')
    },
    hasTaken: (end) => isConfirmed(pool, end),
    // The next follower has another temporary slot, or a new one.
    forget: async () => {},
    async close() {
      await pool.end()
      await close()
    },
  }
}
