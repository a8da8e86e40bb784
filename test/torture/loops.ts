import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'

/** Repeats work with random pauses, several times at once, until it is stopped. */
export class Loops {
  readonly #random: Random
  readonly #onError: (error: Error) => void
  #isStopped = false
  #running: Promise<void>[] = []

  /** @param onError called when a work fails, which is repeated nevertheless; without it, {@link stop} throws */
  constructor(
    random: Random,
    onError = (error: Error): void => {
      throw error
    },
  ) {
    this.#random = random
    this.#onError = onError
  }

  /** Does nothing once they are stopped. @param pauseMs the longest pause */
  start(loops: number, pauseMs: number, work: (loop: number) => Promise<void>): void {
    for (let loop = 0; loop < loops && !this.#isStopped; loop++) {
      const running = this.#run(pauseMs, () => work(loop))
      running.catch(() => {})
      this.#running.push(running)
    }
  }

  /** Resolves when no work is running any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running.splice(0))
  }

  async #run(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await work().catch(this.#onError)
      await sleep(this.#random.integer(0, pauseMs))
    }
  }
}
