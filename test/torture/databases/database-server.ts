import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '#prisma/database.js'
import { applyMigrations } from '#prisma/migrate.js'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { prepareMariadb, startMariadb } from '../../support/start-mariadb.ts'

/** A database with the tables of the demo, which a torture has started. */
export interface DatabaseServer {
  /** For example `PostgreSQL 18.4`. */
  readonly title: string
  readonly url: string
  readonly database: Database
  /** Runs statements in one session. Names are in double quotes. */
  run(script: string): Promise<void>
  rows<Row>(sql: string): Promise<Row[]>
  /** Ends it at once, and has it come back with what was committed. */
  crash(downMs?: number): Promise<void>
  close(): Promise<void>
}

export type Postgresql = DatabaseServer & { readonly server: PostgresServer }

/** As a server that is not for tests: a follower gets a transaction when it is on disk, which a lazy commit postpones by 200 ms. */
export const DURABLE = {
  postgresql: {
    wal_level: 'logical',
    max_replication_slots: '20',
    max_wal_senders: '20',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
  },
  mariadb: [
    '--innodb-flush-log-at-trx-commit=1',
    '--innodb-doublewrite=ON',
    '--sync-binlog=1',
    '--max-connections=500',
  ],
} as const

/** @param changed settings that differ from those of tests */
export async function openPostgresql(changed: Readonly<Record<string, string>> = {}): Promise<Postgresql> {
  const opened = await onPostgresql(await startPostgres(changed))
  await opened.database.withSession(applyMigrations)
  return opened
}

/** @param server with the tables, as a standby has them */
export async function onPostgresql(server: PostgresServer): Promise<Postgresql> {
  const database = await openDatabase({ url: server.url })
  const { rows, run } = sessionsOf(database)
  return {
    title: `PostgreSQL ${server.version}`,
    url: server.url,
    server,
    database,
    run,
    rows,
    async crash() {
      // Otherwise it takes long to recover.
      await run('CHECKPOINT')
      const [backend] = await rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      process.kill(backend!.pid, 'SIGKILL')
    },
    async close() {
      await database.close()
      await server.stop()
    },
  }
}

/** @param settings after those of tests */
export async function openMariadb(settings: readonly string[]): Promise<DatabaseServer> {
  const files = await prepareMariadb(settings)
  let server = await startMariadb(files)
  const admin = await openDatabase({ url: server.url })
  await admin.withSession((session) => session.run('CREATE DATABASE torture'))
  await admin.close()
  const url = server.url.replace(/mysql$/, 'torture')
  const database = await openDatabase({ url })
  await database.withSession(applyMigrations)
  return {
    title: `MariaDB ${server.version}`,
    url,
    database,
    ...sessionsOf(database),
    async crash(downMs = 0) {
      await server.stop()
      await sleep(downMs)
      server = await startMariadb(files)
    },
    async close() {
      await database.close()
      await server.stop()
      await files.remove()
    },
  }
}

/** Runs what is written once for all databases. */
export function sessionsOf(database: Database): Pick<DatabaseServer, 'run' | 'rows'> {
  return {
    run: (script) => database.withSession((session) => session.run(quoted(database, script))),
    rows: <Row>(sql: string) => database.withSession((session) => session.rows<Row>(quoted(database, sql))),
  }
}

export const quoted = ({ kind }: Pick<Database, 'kind'>, sql: string): string =>
  kind === 'mysql' ? sql.replaceAll('"', '`') : sql
