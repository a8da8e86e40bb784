import type pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startStandby } from '../../support/postgres-server.ts'
import type { Run } from '../bench/harness.ts'
import type { FollowedDatabase } from '../follow/databases/followed-database.ts'
import { followedDatabase, openPostgresql } from '../follow/databases/postgresql.ts'
import { openPool } from '../open-pool.ts'
import { FaultyWire } from '../servers/faulty-wire.ts'

/** Deadline for what is waited for. */
const PATIENCE_MS = 30_000

/** A primary, and the standby of the second region. */
export interface RegionServers {
  /** The standby, which the region loads from and follows. */
  readonly database: FollowedDatabase
  /** Whichever server is the primary, by an address that stays. */
  readonly primaryUrl: string
  /** Over which the standby gets the log. */
  readonly log: FaultyWire
  /** Runs statements on the primary. */
  runOnPrimary(script: string): Promise<void>
  /** Before another server is the primary. */
  crashPrimary(): Promise<void>
  /** Resolves when the standby shows everything that is committed now. */
  untilReplayed(): Promise<void>
  /** Has the standby get the log from another standby from now on. */
  cascade(): Promise<void>
  /** Makes the other standby the primary. Nobody writes meanwhile, and no write is lost. */
  promoteUpstream(): Promise<void>
  /** Makes the standby of the region the primary. */
  promote(): Promise<void>
}

export async function openServers({ use }: Pick<Run, 'use'>): Promise<RegionServers> {
  const first = await use(openPostgresql())
  const primary = await use(FaultyWire.start(first.server.port))
  const log = await use(FaultyWire.start(first.server.port))
  const standby = await startStandby(first.server, { port: log.port })
  const primaryUrl = portOf(first.url, primary.port)
  const primaryPool = openPool(primaryUrl)
  const standbyPool = openPool(standby.url)
  // All commits are on the disk.
  const end = async (): Promise<string> => {
    const sql = 'SELECT pg_current_wal_flush_lsn()::text AS lsn'
    return (await primaryPool.query<{ lsn: string }>(sql)).rows[0]!.lsn
  }
  const database = followedDatabase({
    title: `${first.title} with a standby`,
    url: standby.url,
    pool: standbyPool,
    end,
    async close() {
      await primaryPool.end()
      await standby.stop()
    },
  })
  await use(database)
  await database.run(feedback('on'))
  await database.run(RELOAD)
  let { rows } = first
  let upstream: { readonly server: PostgresServer; readonly pool: pg.Pool } | undefined

  const switchTo = async (pool: pg.Pool, { port }: PostgresServer): Promise<void> => {
    primary.faults.refuses = true
    primary.cut()
    // What is running may commit yet.
    await until('writers have left', async () => (await rows(running)).length === 0)
    const [last] = await rows<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn')
    await untilPassed(pool, last!.lsn)
    await pool.query('SELECT pg_promote()')
    rows = async <Row>(sql: string) => (await pool.query(sql)).rows as Row[]
    primary.target = port
    primary.heal()
  }

  return {
    database,
    primaryUrl,
    log,
    runOnPrimary: async (script) => void (await primaryPool.query(script)),
    crashPrimary: () => first.crash(),
    untilReplayed: async () => untilPassed(standbyPool, await end()),
    async cascade() {
      const server = await use(startStandby(first.server, { settings: { hot_standby_feedback: 'on' } }))
      const pool = openPool(server.url)
      await use({ close: () => pool.end() })
      upstream = { server, pool }
      log.target = server.port
      log.cut()
    },
    promoteUpstream: () => switchTo(upstream!.pool, upstream!.server),
    promote: () => switchTo(standbyPool, standby),
  }
}

/** Whether the standby has the primary keep rows of its catalogue. */
export const feedback = (value: 'on' | 'off'): string => `ALTER SYSTEM SET hot_standby_feedback = '${value}'`
export const RELOAD = 'SELECT pg_reload_conf()'

const running = `SELECT FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()`

async function untilPassed(pool: pg.Pool, lsn: string): Promise<void> {
  const sql = 'SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= $1::pg_lsn AS has'
  await until(
    'the standby has everything',
    async () => (await pool.query<{ has: boolean }>(sql, [lsn])).rows[0]!.has,
  )
}

/** Errors count as no. */
async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(10))
    if (await is().catch(() => false)) return
  throw new Error(`It takes longer than ${PATIENCE_MS} ms until ${what}.`)
}

function portOf(url: string, port: number): string {
  return Object.assign(new URL(url), { port: String(port) }).href
}
