import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#prisma/database.js'
import { startStandby } from '../../support/postgres-server.ts'
import type { Run } from '../bench/harness.ts'
import {
  type DatabaseServer,
  DURABLE,
  onPostgresql,
  openPostgresql,
  type Postgresql,
  sessionsOf,
} from '../databases/database-server.ts'
import { FaultyWire } from '../servers/faulty-wire.ts'

/** Deadline for what is waited for. */
const PATIENCE_MS = 30_000

export type RegionServers = Awaited<ReturnType<typeof openServers>>

/** Starts a primary, and the standby of the second region. */
export async function openServers({ use }: Pick<Run, 'use'>) {
  const first = await use(openPostgresql(DURABLE.postgresql))
  const { url: primaryUrl, wire: primaryWire } = await FaultyWire.to(first.url)
  await use(primaryWire)
  const wire = await use(FaultyWire.start(first.server.port))
  const database = await use(onPostgresql(await startStandby(first.server, { port: wire.port })))
  const primary = sessionsOf(await use(openDatabase({ url: primaryUrl })))
  const setFeedback = async (value: 'on' | 'off'): Promise<void> => {
    await database.run(`ALTER SYSTEM SET hot_standby_feedback = '${value}'`)
    await database.run('SELECT pg_reload_conf()')
  }
  await setFeedback('on')
  let last: Pick<DatabaseServer, 'rows'> = first
  let upstream: Postgresql | undefined
  const untilReplayed = async (by: Pick<DatabaseServer, 'rows'>, from = last): Promise<void> => {
    const [row] = await from.rows<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn')
    const sql = `SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= '${row!.lsn}'::pg_lsn AS has`
    await until('the standby has everything', async () => (await by.rows<{ has: boolean }>(sql))[0]!.has)
  }

  /** Nobody writes meanwhile, and no write is lost. */
  const switchTo = async (standby: Postgresql): Promise<void> => {
    primaryWire.faults.refuses = true
    primaryWire.cut()
    // What is running may commit yet.
    await until('writers have left', async () => (await last.rows(running)).length === 0)
    await untilReplayed(standby)
    await standby.run('SELECT pg_promote()')
    last = standby
    primaryWire.target = standby.server.port
    primaryWire.heal()
  }

  return {
    first,
    /** The standby, which the region loads from and follows. */
    database: { ...database, title: `${first.title} with a standby` },
    /** Whichever server is the primary, by an address that stays. */
    primaryUrl,
    primary,
    /** Over which the standby gets the log. */
    wire,
    /** Whether the standby has the primary keep rows of its catalogue. */
    setFeedback,
    /** Before another server is the primary. */
    crashPrimary: () => first.crash(),
    /** Resolves when the standby shows everything that is committed now. */
    untilReplayed: () => untilReplayed(database, primary),
    /** Has the standby get the log from another standby from now on. */
    async cascade(): Promise<void> {
      const settings = { hot_standby_feedback: 'on' }
      upstream = await use(onPostgresql(await startStandby(first.server, { settings })))
      wire.target = upstream.server.port
      wire.cut()
    },
    /** Makes the other standby the primary. */
    promoteUpstream: () => switchTo(upstream!),
    /** Makes the standby of the region the primary. */
    promote: () => switchTo(database),
  }
}

const running = `SELECT FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()`

/** Errors count as no. */
async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(10))
    if (await is().catch(() => false)) return
  throw new Error(`It takes longer than ${PATIENCE_MS} ms until ${what}.`)
}
