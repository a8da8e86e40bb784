import { invalidOptionError } from './errors.js'

export interface SheddingOptions {
  /** The pressure above which requests are refused; the share grows from zero. @default 0.5 */
  readonly from?: number
  /** The pressure at which the largest share is refused. @default 1 */
  readonly to?: number
  /** The largest share of requests that is refused. The remaining requests show when the load decreases. @default 0.9 */
  readonly atMost?: number
  /** The value of `Retry-After` for refused requests, in seconds. @default 1 */
  readonly retryAfterSeconds?: number
}

/** Decides which share of requests is refused. The share rises with pressure, so there is no threshold at which all are. */
export class Shedding {
  readonly retryAfterSeconds: number
  readonly #from: number
  readonly #to: number
  readonly #atMost: number

  /** @throws EventLoopError */
  constructor({ from = 0.5, to = 1, atMost = 0.9, retryAfterSeconds = 1 }: SheddingOptions = {}) {
    const check = (name: string, value: number, isValid: boolean, expected: string): void => {
      if (!isValid) throw invalidOptionError(`shedding.${name}`, value, expected)
    }
    check('from', from, from >= 0 && from < 1, 'a pressure, from 0 to less than 1')
    check('to', to, to > from && to <= 1, 'a pressure above `from`, 1 at most')
    check('atMost', atMost, atMost > 0 && atMost <= 1, 'a share, above 0 and up to 1')
    const isWhole = Number.isInteger(retryAfterSeconds) && retryAfterSeconds > 0
    check('retryAfterSeconds', retryAfterSeconds, isWhole, 'a whole number of seconds, 1 or more')
    this.#from = from
    this.#to = to
    this.#atMost = atMost
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Whether pressure is low enough to report the end of shedding; below `from`, so that reports do not flap. */
  isOverAt(pressure: number): boolean {
    return pressure <= this.#from / 2
  }

  /** Returns the share of requests to refuse at this pressure, 0 to `atMost`. */
  shareAt(pressure: number): number {
    const share = (pressure - this.#from) / (this.#to - this.#from)
    return this.#atMost * Math.min(1, Math.max(0, share))
  }
}
