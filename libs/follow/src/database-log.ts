import type { FollowedTable } from './followed-tables.js'
import type { LoggedChange } from './logged-change.js'

/** The log of a database, in which every committed change can be read, whoever made it. */
export interface DatabaseLog {
  /** For messages: host and database, without credentials. */
  readonly name: string
  /** The providers of Prisma whose rows are in such a database. */
  readonly providers: ReadonlySet<string>
  /**
   * Waits until this process is the leader.
   *
   * @param key the same for all followers of one namespace of one store, and for no others
   * @param signal ends the wait; then it rejects
   */
  elect(key: string, signal: AbortSignal): Promise<Leadership>
  /**
   * Ends the leadership of the process that holds the key, because it gives no sign of life: of no other program, and only if it has asked
   * the database nothing for `idleMs` either. Rejects if the database does not permit it.
   *
   * @returns what became of it; undefined if there is no leader
   */
  depose(key: string, idleMs: number): Promise<'deposed' | 'alive' | undefined>
}

/** The right to follow. One process at a time has it, the leader; the others are stand-bys. */
export interface Leadership {
  /** The id of the database, as its processes list it in the store; undefined if it cannot be determined. */
  readonly database: string | undefined
  /** Opens the log for changes from now on, or from where the last follower stopped, and returns once it is being read. */
  open(options: OpenLogOptions): Promise<OpenLog>
  /**
   * Returns the end of the log; undefined if the connection is busy. The leadership is lost if the database does not answer.
   */
  end(): Promise<bigint | undefined>
  /** Which transactions readers do not see yet. A committed one is in the log a moment before they see it. */
  transactions(): Promise<RunningTransactions>
  /** Returns a number that is higher than those of all transactions of which the log may lack changes, or that readers may not see yet. */
  newTransaction(): Promise<bigint>
  /** How much of the log is between two positions, as far as it is known. */
  bytesBetween(from: bigint, to: bigint): number
  /** Whether rows are loaded from a read replica, which may be behind the log. */
  readonly hasReplica: boolean
  /** Whether the log is that of a standby: rows have to be loaded from this one, or from one that has less. */
  readonly isStandby?: boolean
  /** Asks the primary of a standby where its log ends. Waits for the answer, but not for long. Never rejects. */
  askPrimary?(): Promise<void>
  /**
   * How far a standby is behind its primary, by the last answers of both; undefined if that is unknown.
   *
   * @param taken up to which position the store has taken the changes
   */
  behind?(taken: bigint): StandbyLag | undefined
  /** Resolves once the read replica has everything up to a position; at once without one. */
  replicaHas(position: bigint): Promise<void>
  /** Resolves when the leadership is lost, with the reason. */
  readonly lost: Promise<Error>
  resign(): Promise<void>
}

/** How long ago the oldest change may have been committed at the primary, in milliseconds. */
export interface StandbyLag {
  /** Of those that the standby does not have. */
  readonly ofStandbyMs: number
  /** Of those that the store has not taken. */
  readonly ofStoreMs: number
}

export interface RunningTransactions {
  /** All transactions with a lower number have ended. */
  readonly oldest: bigint
  /** @param id as the log has it */
  has(id: number): boolean
}

/** A committed transaction of the log. */
export interface LoggedTransaction {
  /** The number of the transaction, or the lower 32 bits of it. */
  readonly id: number
  /** When it was committed, by the clock of the database, in milliseconds. */
  readonly committedAtMs: number
}

export interface OpenLogOptions {
  readonly tables: readonly FollowedTable[]
  /** The columns that are read of a table. */
  readonly columnsOf: (table: { readonly schema: string; readonly name: string }) => ReadonlySet<string>
  readonly listener: LogListener
  /** Called with what an operator should know while the attempt waits. */
  readonly onProblems: (problems: readonly FollowProblem[]) => void
  /** Returns what was noted of a durable log; undefined if nothing was. Rejects when the session ends. */
  readonly noteOf: (durable: string) => Promise<LogNote | undefined>
  /** Ends the attempt. */
  readonly signal: AbortSignal
}

/** How far the caches have taken a durable log. */
export interface LogNote {
  /** They have taken all changes up to it. */
  readonly position: bigint
  /** See {@link OpenLog.placeOf}. */
  readonly place: string
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
  /** The position after which it goes on, or begins. */
  readonly resumesAt: bigint
  /** The end of the log when it was opened. */
  readonly end: bigint
  /**
   * What it has of each followed table, by `tableKey`, as of the last {@link follow}. Changes whenever it may have missed changes of
   * the table: if that is another one of the same name, or was not published for a while, or not all of its changes.
   */
  readonly versions: ReadonlyMap<string, string>
  /** What an operator should know: tables that cannot be followed, and what to do about it. */
  readonly problems: readonly FollowProblem[]
  /** What has to be noted beside a position, so that a durable log goes on after it; `''` if the database knows that by itself. */
  placeOf(position: bigint): string
  /** Everything up to the position has been taken: the log need not keep it. */
  confirm(position: bigint): void
  /** Asks the database for a sign of life. */
  ask(): void
  /** Stops reading until {@link resume}, so that the database waits. */
  pause(): void
  resume(): void
  /** Whether {@link versions} have changed, so that {@link follow} is due. The leadership is lost if the database does not answer. */
  hasChanged(): Promise<boolean>
  /** Follows these tables from now on. @returns what is wrong with them */
  follow(tables: readonly FollowedTable[]): Promise<readonly FollowProblem[]>
  /** Resolves when the log ends, with the reason. */
  readonly ended: Promise<Error>
  close(): Promise<void>
}

/** Why a table is not followed, or not well. */
export interface FollowProblem {
  /** The `tableKey` of the table; `''` for a problem of no table. */
  readonly table: string
  /** Whether its changes are followed nevertheless. */
  readonly isFollowed: boolean
  /** A sentence with the remedy. */
  readonly message: string
}
