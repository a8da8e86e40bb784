import { InvalidOptionError } from '../errors.js'

export interface SheddingOptions {
  /** Pressure from which on requests are refused, none at first. @default 0.5 */
  readonly from?: number
  /** Pressure at which the greatest share is refused. @default 1 */
  readonly to?: number
  /** Greatest share of requests that are refused; the others show whether it gets better. @default 0.9 */
  readonly atMost?: number
  /** Seconds after which a refused client is told to come again. @default 1 */
  readonly retryAfterSeconds?: number
}

/** Decides by chance who is refused: more, the higher the pressure, so that there is no edge at which all are. */
export class Shedding {
  readonly retryAfterSeconds: number
  readonly #from: number
  readonly #to: number
  readonly #atMost: number

  /** @throws InvalidOptionError */
  constructor({ from = 0.5, to = 1, atMost = 0.9, retryAfterSeconds = 1 }: SheddingOptions = {}) {
    const check = (name: string, value: number, isValid: boolean, expected: string): void => {
      if (!isValid) throw new InvalidOptionError(`shedding.${name}`, value, expected)
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

  /** Whether pressure is so low that shedding is over, and not just interrupted. */
  isOverAt(pressure: number): boolean {
    return pressure <= this.#from / 2
  }

  /** The share of requests that are refused under this pressure, 0 to `atMost`. */
  shareAt(pressure: number): number {
    if (pressure <= this.#from) return 0
    return this.#atMost * Math.min(1, (pressure - this.#from) / (this.#to - this.#from))
  }
}
