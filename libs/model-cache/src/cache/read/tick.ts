import { outsideTransactions } from '../../protocol/index.js'
import { forCalls } from '../load/source-call.js'

/** Milliseconds of requests in one turn after which the reads run in the next turn instead. */
const longTurnMs = 1

/**
 * Collects the reads of one turn of the event loop, of any number of requests and models, and runs them at its end.
 *
 * `setImmediate` runs after all input of the turn has been read, so requests that arrived together are read together, whatever
 * promise callbacks run in between. Where the requests alone took a millisecond, the reads run at the end of the next turn, so
 * that sockets and timers do not wait for both.
 */
export class Tick {
  #jobs: (() => void)[] = []
  #beganAtMs = 0

  /** Runs the job at the end of this turn, in one call with all others. */
  schedule(job: () => void): void {
    if (this.#jobs.push(job) > 1) return
    this.#beganAtMs = performance.now()
    // Not as a part of what requested first: the others are in the tick as well.
    outsideTransactions(this.#beginAlone)
  }

  readonly #beginAlone = (): void => forCalls(undefined, this.#begin)

  readonly #begin = (): void => void setImmediate(this.#endTurn)

  readonly #endTurn = (): void => {
    if (performance.now() - this.#beganAtMs > longTurnMs) setImmediate(this.#run)
    else this.#run()
  }

  /** Runs also what these jobs schedule: their reads belong to the same commands. */
  readonly #run = (): void => {
    try {
      for (const job of this.#jobs) job()
    } finally {
      this.#jobs = []
    }
  }
}
