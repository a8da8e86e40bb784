/** What asking may take of a turn, in milliseconds, before the answers wait for the next one. */
const longAskingMs = 1

/**
 * Collects what is asked for in one turn of the event loop, by any number of requests and models, and runs it at the
 * end of the turn.
 *
 * `setImmediate` runs after all input of the turn has been read, so requests that arrived together are answered
 * together; promise callbacks in between do not tear them apart. Where asking itself has filled the turn, the jobs run at the end
 * of the next one, so that sockets and timers do not wait for both.
 */
export class Tick {
  #waiting: (() => void)[] = []
  #beganAtMs = 0

  /** Runs the job at the end of this turn, in the same call as all others. */
  schedule(job: () => void): void {
    if (this.#waiting.push(job) > 1) return
    this.#beganAtMs = performance.now()
    setImmediate(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    if (performance.now() - this.#beganAtMs > longAskingMs) setImmediate(this.#run)
    else this.#run()
  }

  readonly #run = (): void => {
    const jobs = this.#waiting
    this.#waiting = []
    for (const job of jobs) job()
  }
}
