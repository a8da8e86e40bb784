/** Reads and fills that have begun and not ended. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>()

  /** Counts work as in flight until it settles. @returns the same work */
  track<T>(work: Promise<T>): Promise<T> {
    const end = (): void => void this.#work.delete(work)
    this.#work.add(work)
    work.then(end, end)
    return work
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
