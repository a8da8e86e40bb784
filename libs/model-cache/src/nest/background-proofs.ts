import type { ReadThroughCache } from '../cache/read-through-cache.js'

type Provable = Pick<ReadThroughCache<unknown, unknown>, 'prove'>

/**
 * Proves codecs after the start, one per event-loop turn, since each proof takes some milliseconds. It does not keep the process
 * alive. A cache that is read before its turn proves its codec itself.
 */
export class BackgroundProofs {
  readonly #waiting: Provable[] = []
  #timer: NodeJS.Timeout | undefined

  add(cache: Provable): void {
    this.#waiting.push(cache)
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.length = 0
  }

  #schedule(): void {
    // Not `setImmediate`: an unreferenced one would wait until something else wakes the event loop.
    this.#timer ??= setTimeout(() => this.#proveNext(), 1).unref()
  }

  #proveNext(): void {
    this.#timer = undefined
    this.#waiting.shift()?.prove()
    if (this.#waiting.length > 0) this.#schedule()
  }
}
