/**
 * Collects what is asked for in one turn of the event loop, by any number of requests and models, and runs it at the
 * end of the turn.
 *
 * `setImmediate` runs after all input of the turn has been read, so requests that arrived together are answered
 * together; promise callbacks in between do not tear them apart.
 */
export class Tick {
  #waiting: (() => void)[] = []

  /** Runs the job at the end of this turn, in the same call as all others. */
  schedule(job: () => void): void {
    if (this.#waiting.push(job) === 1) setImmediate(this.#run)
  }

  readonly #run = (): void => {
    const jobs = this.#waiting
    this.#waiting = []
    for (const job of jobs) job()
  }
}
