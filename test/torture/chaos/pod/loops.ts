import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#prisma/demo/random.js'

export interface LoopsDependencies {
  readonly random: Random
  readonly count: (name: string, times: number) => void
}

/** Repeats work with random pauses, several times at once, until it is stopped. */
export class Loops {
  readonly #parts: LoopsDependencies
  #isStopped = false
  readonly #running: Promise<void>[] = []

  constructor(parts: LoopsDependencies) {
    this.#parts = parts
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
    const { random, count } = this.#parts
    while (!this.#isStopped) {
      await work().catch((error: Error) => count(`error ${error.name}`, 1))
      await sleep(random.integer(0, pauseMs))
    }
  }
}
