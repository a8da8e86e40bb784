import { setTimeout as delay } from 'node:timers/promises'

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

/** Milliseconds that the end of the process waits for reads and fills. */
const closeLimitMs = 10_000

/** Waits for work when the process ends, but not for long: a query may hang, and invalidations are yet to be sent. */
export async function waitToClose(work: Promise<unknown>, limitMs = closeLimitMs): Promise<void> {
  const limit = new AbortController()
  const tooLate = delay(limitMs, undefined, { signal: limit.signal, ref: false }).catch(() => {})
  await Promise.race([work, tooLate])
  limit.abort()
}
