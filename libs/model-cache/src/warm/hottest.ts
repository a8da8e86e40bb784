import type { Hint } from './hints.js'

/** The hottest of many hints, in bounded memory and without sorting them. */
export class Hottest {
  readonly #most: number
  readonly #byHeat = new Map<number, Hint[]>()
  #count = 0
  /** Enough hints are hotter than this. */
  #cold = -Infinity

  constructor(most: number) {
    this.#most = most
  }

  /** How many hints it holds: seldom more than three times as many as are wanted. */
  get size(): number {
    return this.#count
  }

  offer(hint: Hint, heat: number): void {
    if (heat <= this.#cold) return
    const alike = this.#byHeat.get(heat)
    if (alike) alike.push(hint)
    else this.#byHeat.set(heat, [hint])
    this.#count++
    if (this.#count % this.#most === 0) this.#forgetCold()
  }

  /** Each row once: it has a key for each schema version. */
  take(): Hint[] {
    const taken = new Map<string, Hint>()
    for (const heat of this.#heats())
      for (const hint of this.#byHeat.get(heat)!) {
        const text = `${hint.cache}\0${hint.id}`
        if (taken.size < this.#most && !taken.has(text)) taken.set(text, hint)
      }
    return [...taken.values()]
  }

  /** Keeps twice as many as are wanted, for rows with several keys. */
  #forgetCold(): void {
    let kept = 0
    for (const heat of this.#heats()) {
      if (kept >= 2 * this.#most) {
        this.#count -= this.#byHeat.get(heat)!.length
        this.#byHeat.delete(heat)
      } else {
        kept += this.#byHeat.get(heat)!.length
        if (kept >= 2 * this.#most) this.#cold = heat
      }
    }
  }

  /** The hottest first: a few hundred at most if the server counts reads, and seconds otherwise. */
  #heats(): number[] {
    return [...this.#byHeat.keys()].toSorted((one, other) => other - one)
  }
}
