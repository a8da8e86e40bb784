import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'

/** Repeats work with random pauses, several times at once, until it is stopped. */
export class Loops {
  readonly #random: Random
  readonly #count: (name: string, times: number) => void
  #isStopped = false
  readonly #running: Promise<void>[] = []

  constructor(random: Random, count: (name: string, times: number) => void) {
    this.#random = random
    this.#count = count
  }

  /** Does nothing once they are stopped. @param pauseMs the longest pause */
  start(loops: number, pauseMs: number, work: () => Promise<void>): void {
    for (let loop = 0; loop < loops && !this.#isStopped; loop++) this.#running.push(this.#run(pauseMs, work))
  }

  /** Resolves when no work is running any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running.splice(0))
  }

  async #run(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await work().catch((error: Error) => this.#count(`error ${error.name}`, 1))
      await sleep(this.#random.integer(0, pauseMs))
    }
  }
}
