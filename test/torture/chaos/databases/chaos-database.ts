import type { Database } from '#prisma/database.js'
import type { ServerFault } from '../../servers/access.ts'
import type { FaultyWire } from '../../servers/faulty-wire.ts'
import type { DatabaseAccess } from './database-access.ts'

/** The database that pods share, as chaos sees it. All that differs from database to database is here and in `pod/databases`. */
export interface ChaosDatabase {
  /** For example `PostgreSQL 18.4`. */
  readonly title: string
  /** Not through any wire. */
  readonly database: Database
  /** Counts the versions of each row, and records them in the transactions that write them. */
  readonly triggers: string
  /** The milliseconds of its clock, in SQL. */
  readonly now: string
  /** Whether pods reach it by wires. */
  readonly hasWires: boolean
  /** What may happen to it by itself. */
  readonly faults: readonly ServerFault[]
  /** How long fences last. */
  readonly fenceMs: number
  /** The code of a write that fails because of another one, as Prisma has it. */
  readonly conflict: 'P2034' | 'P1008'
  /** Opens what a pod reaches it by. */
  access(): Promise<{ readonly access: DatabaseAccess; readonly wires: readonly FaultyWire[] }>
  close(): Promise<void>
}

/** Runs a query outside of Prisma. Names are in double quotes. */
export function rowsOf<Row>({ database }: ChaosDatabase, sql: string): Promise<Row[]> {
  return database.withSession((session) => session.rows<Row>(quoted(database, sql)))
}

/** Runs a script outside of Prisma. Names are in double quotes. */
export function runScript({ database }: ChaosDatabase, script: string): Promise<void> {
  return database.withSession((session) => session.run(quoted(database, script)))
}

export const quoted = ({ kind }: Pick<Database, 'kind'>, sql: string): string =>
  kind === 'mysql' ? sql.replaceAll('"', '`') : sql
