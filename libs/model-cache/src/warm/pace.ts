import { setTimeout as delay } from 'node:timers/promises'

/** Bounds how many things begin in a second. */
export class Pace {
  readonly #perSecond: number
  #freeAtMs = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /**
   * Waits until so many may begin at once: until those that began before have taken their share of time.
   *
   * @throws AbortError
   */
  async next(count: number, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    const atMs = Math.max(nowMs, this.#freeAtMs)
    this.#freeAtMs = atMs + (1_000 * count) / this.#perSecond
    // A timer goes by the time at which the loop began, and may be early.
    for (let leftMs = atMs - nowMs; leftMs > 0; leftMs = atMs - performance.now())
      await delay(leftMs, undefined, { signal })
  }
}

/** The outcome of work, unless a signal ends before: then rejects, and nobody waits for the work. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
