/** The least version that a read may return, over time. */
export class Floor {
  #steps: { readonly from: number; readonly version: number }[] = []
  #isSorted = true

  add(from: number, version: number): void {
    if (from === Infinity) return
    const last = this.#steps.at(-1)
    if (last && last.from <= from && last.version >= version) return
    this.#isSorted &&= !last || (last.from <= from && last.version <= version)
    this.#steps.push({ from, version })
  }

  /** The highest version added before a moment; 0 without any. */
  at(moment: number): number {
    return this.#find((from) => from < moment)
  }

  /** As {@link at}, with those that were added at this moment. */
  upTo(moment: number): number {
    return this.#find((from) => from <= moment)
  }

  #find(isReached: (from: number) => boolean): number {
    if (!this.#isSorted) this.#sort()
    const steps = this.#steps
    let [low, high] = [0, steps.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isReached(steps[middle]!.from)) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0 : steps[low - 1]!.version
  }

  #sort(): void {
    let highest = 0
    this.#steps = this.#steps
      .toSorted((a, b) => a.from - b.from)
      .map(({ from, version }) => ({ from, version: (highest = Math.max(highest, version)) }))
    this.#isSorted = true
  }
}

/** Floors by name, each of which exists once it is asked for. */
export class FloorsByName {
  readonly #floors = new Map<string, Floor>()

  of(name: string): Floor {
    let floor = this.#floors.get(name)
    if (!floor) this.#floors.set(name, (floor = new Floor()))
    return floor
  }

  /** 0 without any. */
  at(name: string, moment: number): number {
    return this.#floors.get(name)?.at(moment) ?? 0
  }
}
