import type { DatabaseServer } from '../../databases/database-server.ts'
import type { ServerFault } from '../../servers/access.ts'

export type DatabaseName = 'postgresql' | 'pgbouncer' | 'mariadb' | 'sqlite'

/** How a pod reaches the database. */
export interface DatabaseAccess {
  readonly name: DatabaseName
  /** Through the wire of the pod. */
  readonly url: string
  /** Not through a wire, for writes by hand: they have no fence, so nothing is promised if their end is unknown. */
  readonly directUrl: string
  /** Milliseconds that a statement may take. A late one ends before the fence of a write with an unknown end. */
  readonly statementMs: number
  /** Deadline of a command of Valkey, in milliseconds, if the driver stops the process while it waits for a lock. @default that of all chaos */
  readonly valkeyMs?: number
}

/** The database that pods share, as chaos sees it. All that differs from database to database is here and in `pod/databases`. */
export interface ChaosDatabase extends Omit<DatabaseServer, 'crash'> {
  /** Counts the versions of each row, and records them in the transactions that write them. */
  readonly triggers: string
  /** The milliseconds of its clock, in SQL. */
  readonly now: string
  /** By which pods reach it. @default that of the server */
  readonly poolerUrl?: string
  /** Whether pods reach it by wires. */
  readonly hasWires: boolean
  /** What may happen to it by itself. */
  readonly faults: readonly ServerFault[]
  /** How long fences last. */
  readonly fenceMs: number
  /** The code of a write that fails because of another one, as Prisma has it. */
  readonly conflict: 'P2034' | 'P1008'
  readonly access: Pick<DatabaseAccess, 'name' | 'statementMs' | 'valkeyMs'>
}
