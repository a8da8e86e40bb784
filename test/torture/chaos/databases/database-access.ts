export type DatabaseName = 'postgresql' | 'mariadb' | 'sqlite'

/** How a pod reaches the database. */
export interface DatabaseAccess {
  readonly name: DatabaseName
  /** Through the wires of the pod. */
  readonly url: string
  /** Not through a wire, for writes by hand: they have no fence, so nothing is promised if their end is unknown. */
  readonly directUrl: string
  /** Milliseconds that a statement may take. A late one ends before the fence of a write with an unknown end. */
  readonly statementMs: number
  /** Deadline of a command of Valkey, in milliseconds, if the driver stops the process while it waits for a lock. @default that of all chaos */
  readonly valkeyMs?: number
}
