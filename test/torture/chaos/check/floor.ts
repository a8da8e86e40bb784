/** The least revision that a read may return, over time. */
export class Floor {
  #steps: { readonly from: number; readonly revision: number }[] = []
  #isSorted = true

  add(from: number, revision: number): void {
    if (from === Infinity) return
    this.#steps.push({ from, revision })
    this.#isSorted = false
  }

  /** The highest revision added before a moment; 0 without any. */
  at(moment: number): number {
    if (!this.#isSorted) this.#sort()
    const steps = this.#steps
    let [low, high] = [0, steps.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (steps[middle]!.from < moment) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0 : steps[low - 1]!.revision
  }

  #sort(): void {
    let highest = 0
    this.#steps = this.#steps
      .toSorted((a, b) => a.from - b.from)
      .map(({ from, revision }) => ({ from, revision: (highest = Math.max(highest, revision)) }))
    this.#isSorted = true
  }
}
