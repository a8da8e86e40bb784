import { reportMs } from './follow-watch.js'

/** The ends that a log had, until what is before them is confirmed. Times are milliseconds of `performance.now()`. */
export class LogEnds {
  /** Oldest first. */
  readonly #ends: { readonly position: bigint; readonly atMs: number }[] = []
  #confirmed = 0n
  /** When the question was asked that was answered last. */
  #knownAtMs = performance.now()

  get confirmed(): bigint {
    return this.#confirmed
  }

  /** The last end that has not been confirmed; undefined without one. */
  protected get lastEnd(): bigint | undefined {
    return this.#ends.at(-1)?.position
  }

  /** @param atMs when the database was asked */
  noteEnd(position: bigint, atMs: number): void {
    this.#knownAtMs = atMs
    if (position > this.#confirmed) this.#ends.push({ position, atMs })
  }

  /** @returns whether that is further than before */
  confirm(position: bigint): boolean {
    if (position <= this.#confirmed) return false
    this.#confirmed = position
    while (this.#ends[0] && this.#ends[0].position <= position) this.#ends.shift()
    return true
  }

  /**
   * How long ago the oldest change may have been committed that has not been confirmed, but for the time between two reports. Without answers
   * of the database, that may be anything since.
   */
  get unconfirmedMs(): number {
    const [oldest] = this.#ends
    const now = performance.now()
    return Math.max(0, now - this.#knownAtMs - reportMs, oldest ? now - oldest.atMs : 0)
  }
}
