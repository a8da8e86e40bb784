import type { LoggedTransaction, RunningTransactions } from '../database-log.js'

/** What readers see at a moment. */
export interface CommitView {
  /** They see everything before it, and nothing of what follows. */
  readonly position: bigint
  /** By the clock of the database, in milliseconds. */
  readonly atMs: number
}

/** More of them say no more about the transactions that are being read. */
const maxViews = 64

/**
 * Which transactions of the log readers see: the log has a transaction a moment before they do. And when these were committed: the log has
 * the second in which the statement began, so that a transaction counts as old as the last view without it.
 */
export class CommitViews {
  #views: readonly CommitView[] = []
  #aheadMs = 0
  #next = 1
  /** Transactions that have been read, and that readers may not see, oldest first. */
  readonly #unseen: { readonly id: number; readonly start: bigint }[] = []

  /** By the clock of the database, in milliseconds. */
  get nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  /** A number that is higher than those of all transactions which have been read. */
  get next(): bigint {
    return BigInt(this.#next)
  }

  /** Transactions that are read after it are numbered. @param atMs when it was not committed yet */
  begin(start: bigint, atMs: number): LoggedTransaction {
    const id = this.#next++
    this.#unseen.push({ id, start })
    const view = this.#views.findLast(({ position }) => position <= start)
    return { id, committedAtMs: Math.max(atMs, view?.atMs ?? 0) }
  }

  /** @param askedAtMs by `Date.now()` */
  note(view: CommitView, askedAtMs: number): RunningTransactions {
    this.#views = [...this.#views.slice(-maxViews), view]
    this.#aheadMs = view.atMs - askedAtMs
    const seen = this.#unseen.findIndex(({ start }) => start >= view.position)
    this.#unseen.splice(0, seen < 0 ? this.#unseen.length : seen)
    const oldest = this.#unseen[0]?.id ?? this.#next
    return { oldest: BigInt(oldest), has: (id) => id >= oldest }
  }
}
