import { InspectionError } from '../inspection-error.js'

export interface AdmissionOptions {
  /** Requests in work at once. @default 16 */
  readonly maxAtOnce?: number
  /** Milliseconds until a request is answered with an error. @default 5,000 */
  readonly deadlineMs?: number
}

/** Bounds what requests cost: how many are in work at once, and how long they wait. */
export class Admission {
  readonly #maxAtOnce: number
  readonly #deadlineMs: number
  #inWork = 0

  constructor({ maxAtOnce = 16, deadlineMs = 5_000 }: AdmissionOptions = {}) {
    this.#maxAtOnce = maxAtOnce
    this.#deadlineMs = deadlineMs
  }

  /**
   * Does the work, unless too much is in work. Work that misses its deadline counts until it ends, since it still costs.
   *
   * @throws InspectionError
   */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inWork >= this.#maxAtOnce) {
      const problem = `${this.#maxAtOnce} requests are in work. Retry when one of them has been answered.`
      throw new InspectionError('too_many_requests', 429, problem)
    }
    this.#inWork++
    return this.inTime(async () => {
      try {
        return await work()
      } finally {
        this.#inWork--
      }
    })
  }

  /**
   * Waits for work that costs the same for any number of requests.
   *
   * @throws InspectionError
   */
  async inTime<T>(work: () => Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const problem = `There was no answer within ${this.#deadlineMs} ms. The store or the database may be overloaded.`
      reject(new InspectionError('deadline_exceeded', 503, problem))
    }, this.#deadlineMs)
    try {
      return await Promise.race([work(), late])
    } finally {
      clearTimeout(timer)
    }
  }
}
