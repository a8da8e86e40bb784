import { reportMs } from './follow-watch.js'

/** The ends that a log had, until they have been taken. Times are milliseconds of `performance.now()`. */
export class LogEnds {
  /** Oldest first. */
  readonly #ends: { readonly position: bigint; readonly atMs: number }[] = []
  #taken = 0n
  /** When the question was asked that was answered last. */
  #knownAtMs = performance.now()

  /** Up to which position the log has been taken. */
  get taken(): bigint {
    return this.#taken
  }

  /** The last end that has not been taken; undefined without one. */
  get last(): bigint | undefined {
    return this.#ends.at(-1)?.position
  }

  /** @param atMs when the database was asked */
  note(position: bigint, atMs: number): void {
    this.#knownAtMs = atMs
    if (position > this.#taken) this.#ends.push({ position, atMs })
  }

  /** @returns whether that is further than before */
  take(position: bigint): boolean {
    if (position <= this.#taken) return false
    this.#taken = position
    while (this.#ends[0] && this.#ends[0].position <= position) this.#ends.shift()
    return true
  }

  /**
   * How long ago the oldest change may have been committed that has not been taken, but for the time between two reports. Without answers
   * of the database, that may be anything since.
   */
  get lagMs(): number {
    const [oldest] = this.#ends
    const now = performance.now()
    return Math.max(0, now - this.#knownAtMs - reportMs, oldest ? now - oldest.atMs : 0)
  }
}
