import type { LoggedTransaction, RunningTransactions } from '../database-log.js'

/** What readers see at a moment. */
export interface CommitView {
  /** By the clock of the database, in milliseconds. */
  readonly atMs: number
  /** Whether they see a transaction. */
  has(transaction: BegunTransaction): boolean
}

/** A transaction as the log has it. */
export interface BegunTransaction {
  /** Where it begins. */
  readonly start: bigint
  /** Undefined on MariaDB, whose readers see transactions in their order, and for what a server does by itself. */
  readonly gtid: string | undefined
}

/** More of them say no more about the transactions that are being read. */
const maxViews = 64

/**
 * Which transactions of the log readers see: the log has a transaction a moment before they do. And when these were committed: the log of
 * MariaDB has the second in which the statement began, so that a transaction counts as old as the last view without it.
 */
export class CommitViews {
  #views: readonly CommitView[] = []
  #aheadMs = 0
  #next = 1
  /** Transactions that have been read, and that readers may not see, oldest first. */
  readonly #unseen: (BegunTransaction & { readonly id: number })[] = []

  /** By the clock of the database, in milliseconds. */
  get nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  /** A number that is higher than those of all transactions which have been read. */
  get next(): bigint {
    return BigInt(this.#next)
  }

  /** Transactions that are read after it are numbered. @param atMs when it was not committed yet */
  begin(transaction: BegunTransaction, atMs: number): LoggedTransaction {
    const id = this.#next++
    this.#unseen.push({ id, ...transaction })
    const view = this.#views.findLast((one) => !one.has(transaction))
    return { id, committedAtMs: Math.max(atMs, view?.atMs ?? 0) }
  }

  /** @param askedAtMs by `Date.now()` */
  note(view: CommitView, askedAtMs: number): RunningTransactions {
    this.#views = [...this.#views.slice(-maxViews), view]
    this.#aheadMs = view.atMs - askedAtMs
    const seen = this.#unseen.findIndex((one) => !view.has(one))
    this.#unseen.splice(0, seen < 0 ? this.#unseen.length : seen)
    const oldest = this.#unseen[0]?.id ?? this.#next
    return { oldest: BigInt(oldest), has: (id) => id >= oldest }
  }
}
