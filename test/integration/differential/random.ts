/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  /** True in that many of a hundred cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }

  /** One of the functions, called. */
  oneOf<T>(...choices: readonly (() => T)[]): T {
    return this.pick(choices)()
  }

  /** Each of the choices with the given chance, in their order. */
  some<T>(choices: readonly T[], percent: number): T[] {
    return choices.filter(() => this.chance(percent))
  }

  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make)
  }
}
