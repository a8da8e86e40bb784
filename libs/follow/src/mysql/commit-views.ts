import { DatabaseClock } from '../database-clock.js'
import type { LoggedTransaction, RunningTransactions } from '../database-log.js'

/** What the log has at a moment. */
export interface LogView {
  /** When the view was taken, by the clock of the database, in milliseconds. */
  readonly atMs: number
  /** Whether it has a transaction. */
  logs(transaction: BegunTransaction): boolean
}

/** What the log has at a moment, and what readers see. */
export interface CommitView extends LogView {
  /** Whether they see a transaction. */
  has(transaction: BegunTransaction): boolean
}

/** A transaction as the log has it. */
export interface BegunTransaction {
  /** The position of the log at which it begins. */
  readonly start: bigint
  /** Undefined for what a server does by itself. */
  readonly gtid: string | undefined
}

/** More of them say no more about the transactions that are being read. */
const maxViews = 64

/**
 * Which transactions of the log readers see: the log has a transaction a moment before they do. And when these were committed: the log of
 * MariaDB has the second in which the statement began, so that a transaction counts as old as the last view of the log without it.
 */
export class CommitViews {
  #views: readonly LogView[] = []
  readonly #clock = new DatabaseClock()
  #next = 1
  /** Transactions that have been read, and that readers may not see, oldest first. */
  readonly #unseen: (BegunTransaction & { readonly id: number })[] = []

  /** The current time by the clock of the database, in milliseconds. */
  get nowMs(): number {
    return this.#clock.nowMs
  }

  /** A number that is higher than those of all transactions which have been read. */
  get next(): bigint {
    return BigInt(this.#next)
  }

  /** Transactions that are read after it are numbered. @param atMs when it was not committed yet */
  begin(transaction: BegunTransaction, atMs: number): LoggedTransaction {
    const id = this.#next++
    this.#unseen.push({ id, ...transaction })
    const view = this.#views.findLast((one) => !one.logs(transaction))
    return { id, committedAtMs: Math.max(atMs, view?.atMs ?? 0) }
  }

  noteLogged(view: LogView): void {
    this.#views = [...this.#views.slice(-maxViews), view]
  }

  /** @param askedAtMs by `Date.now()` */
  note(view: CommitView, askedAtMs: number): RunningTransactions {
    this.noteLogged(view)
    this.#clock.note(view.atMs, askedAtMs)
    const seen = this.#unseen.findIndex((one) => !view.has(one))
    this.#unseen.splice(0, seen < 0 ? this.#unseen.length : seen)
    const oldest = this.#unseen[0]?.id ?? this.#next
    return { oldest: BigInt(oldest), has: (id) => id >= oldest }
  }
}
