/** The number of answers that count. More would be too old when a clock is set. */
const maxAnswers = 8

/** What the clock of the database shows, as far as its answers say: never less than that, and as little more as the fastest of late took. */
export class DatabaseClock {
  #aheadMs: readonly number[] = []

  /** The current time by the clock of the database, in milliseconds. */
  get nowMs(): number {
    return Date.now() + (this.#aheadMs.length > 0 ? Math.min(...this.#aheadMs) : 0)
  }

  /**
   * @param atMs by the clock of the database
   * @param askedAtMs by `Date.now()`, before that
   */
  note(atMs: number, askedAtMs: number): void {
    this.#aheadMs = [...this.#aheadMs.slice(1 - maxAnswers), atMs - askedAtMs]
  }
}
