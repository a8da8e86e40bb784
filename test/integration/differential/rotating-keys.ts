import { randomBytes } from 'node:crypto'
import { AtRest } from 'model-cache/advanced'

/** Everything that can be compressed is. */
export const compressed = { compress: { above: 0 } } as const

/**
 * The keys of a process that is deployed again and again while they are rotated: a new one is added, put first, and left alone. Ids are
 * hashed in keys every second time: values of the former key are read without that, and under other keys with it.
 */
export class RotatingKeys {
  #keys = [newKey(0)]
  #deployments = 0

  /** Those of the next deployment. */
  next(): AtRest {
    const deployment = this.#deployments++
    const [first, last] = [this.#keys[0]!, this.#keys.at(-1)!]
    const step = deployment % 3
    if (step === 0) this.#keys = [first]
    else this.#keys = step === 1 ? [first, newKey(deployment)] : [last, first]
    return AtRest.of({ keys: this.#keys, hashKeys: Math.floor(deployment / 3) % 2 === 1 })
  }
}

const newKey = (number: number) => ({ id: `key-${number}`, key: randomBytes(32) })
