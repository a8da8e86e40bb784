import { LogEnds } from './log-ends.js'

/** How far a log has been taken, and how far behind that is. Times are milliseconds. */
export class LogProgress extends LogEnds {
  readonly #bytesBetween: (from: bigint, to: bigint) => number
  #aliveAtMs = performance.now()
  /** How far the clock of the database is ahead of `Date.now()`. */
  #aheadMs = 0

  constructor(bytesBetween: (from: bigint, to: bigint) => number) {
    super()
    this.#bytesBetween = bytesBetween
  }

  /** Since the last sign of life. */
  get silentMs(): number {
    return performance.now() - this.#aliveAtMs
  }

  /** How much of the log has not been confirmed, as far as it is known. */
  get lagBytes(): number {
    const { confirmed, lastEnd } = this
    return lastEnd === undefined || confirmed === 0n ? 0 : this.#bytesBetween(confirmed, lastEnd)
  }

  /** @param atMs by the clock of the database */
  noteAlive(atMs?: number): void {
    this.#aliveAtMs = performance.now()
    if (atMs !== undefined) this.#aheadMs = atMs - Date.now()
  }

  /** @param thenMs by the clock of the database */
  msSince(thenMs: number): number {
    return Math.max(0, Date.now() + this.#aheadMs - thenMs)
  }

  /**
   * How long ago the oldest change may have been committed that the store has not taken.
   *
   * @param oldestMs when the oldest change was committed that has been read, by the clock of the database
   */
  lagMs(oldestMs: number | undefined): number {
    return Math.max(oldestMs === undefined ? 0 : this.msSince(oldestMs), this.unconfirmedMs)
  }
}
