/** Reads and fills that have begun and not ended. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>()

  /** Counts work as in flight until it settles. @returns its outcome */
  track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work)
    return work.then(
      (value) => {
        this.#work.delete(work)
        return value
      },
      (error: unknown) => {
        this.#work.delete(work)
        throw error
      },
    )
  }

  /** Resolves when everything has settled that is in flight now. Never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#work)
  }

  /** Resolves when nothing is in flight any more, including what began meanwhile. */
  async drained(): Promise<void> {
    while (this.#work.size > 0) await this.settled()
  }
}
