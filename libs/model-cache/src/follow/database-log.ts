import type { FollowedTable } from './followed-tables.js'
import type { LoggedChange } from './logged-change.js'

/** The log of a database, in which every committed change can be read, whoever made it. */
export interface DatabaseLog {
  /** For messages: host and database, without credentials. */
  readonly name: string
  /**
   * Waits until this process is the one that follows.
   *
   * @param key the same for all followers of a namespace
   * @param signal ends the wait; then it rejects
   */
  elect(key: string, signal: AbortSignal): Promise<Mandate>
  /** Ends the mandate of whoever follows now, because it gives no sign of life. Rejects if the database does not permit it. */
  depose(key: string): Promise<void>
}

/** The right to follow: one process has it at a time. */
export interface Mandate {
  /** Opens the log for changes from now on, or from where the last follower stopped, and returns once it is being read. */
  open(options: OpenLogOptions): Promise<OpenLog>
  /**
   * Returns the end of the log; undefined if the connection is busy. The mandate is lost if the database does not answer.
   */
  end(): Promise<bigint | undefined>
  /** Which transactions readers do not see yet. A committed one is in the log a moment before they see it. */
  transactions(): Promise<RunningTransactions>
  /** Returns a number that is higher than those of all transactions which have written until now. */
  newTransaction(): Promise<bigint>
  /** Resolves once a read replica has everything up to a position. */
  replicaHas?(position: bigint): Promise<void>
  /** Resolves when the mandate is lost, with the reason. */
  readonly lost: Promise<Error>
  resign(): Promise<void>
}

export interface RunningTransactions {
  /** All transactions with a lower number have ended. */
  readonly oldest: bigint
  /** @param id of 32 bits, as the log has it */
  has(id: number): boolean
}

/** A committed transaction of the log. */
export interface LoggedTransaction {
  /** The lower 32 bits of its number. */
  readonly id: number
  /** By the clock of the database, in milliseconds. */
  readonly committedAtMs: number
}

export interface OpenLogOptions {
  readonly tables: readonly FollowedTable[]
  /** The columns that are read of a table. */
  readonly columnsOf: (table: { readonly schema: string; readonly name: string }) => ReadonlySet<string>
  readonly listener: LogListener
  /** Called before a durable log is created or its tables change: what is noted of it does not hold any longer. */
  readonly onNew: (durable: string) => Promise<void>
  /** Ends the attempt. */
  readonly signal: AbortSignal
}

export interface LogListener {
  /** Called with each change, in the order of commits. All of them are committed. */
  onChange(change: LoggedChange, transaction: LoggedTransaction): void
  /** Called after the last change of a transaction. `position` can be confirmed as soon as they are done. */
  onCommit(position: bigint, transaction: LoggedTransaction): void
  /** Called when the database answers {@link OpenLog.ask}: everything up to `position` has been sent, at `atMs` by its clock. */
  onAlive(position: bigint, atMs: number): void
}

export interface OpenLog {
  /** Whether it begins now, so that it does not have what was written before. */
  readonly isNew: boolean
  /** Identifies a log that goes on where the last follower stopped; undefined if it does not. */
  readonly durable: string | undefined
  /** Its end when it was opened. */
  readonly end: bigint
  /** What an operator should know: tables that cannot be followed, and what to do about it. */
  readonly problems: readonly FollowProblem[]
  /** Everything up to the position has been taken: the log need not keep it. */
  confirm(position: bigint): void
  /** Asks the database for a sign of life. */
  ask(): void
  /** Stops reading until {@link resume}, so that the database waits. */
  pause(): void
  resume(): void
  /** Follows other tables from now on. */
  follow(tables: readonly FollowedTable[]): Promise<{
    /** By `tableKey`: those of which it has no changes, or not all, until now. */
    readonly changed: readonly string[]
    readonly problems: readonly FollowProblem[]
  }>
  /** Resolves when the log ends, with the reason. */
  readonly ended: Promise<Error>
  close(): Promise<void>
}

/** Why a table is not followed, or not well. */
export interface FollowProblem {
  /** By `tableKey`; `''` for a problem of no table. */
  readonly table: string
  /** Whether its changes are followed nevertheless. */
  readonly isFollowed: boolean
  /** A sentence with the remedy. */
  readonly message: string
}
