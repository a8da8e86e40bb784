/** What a client has written of a model. */
export interface ModelWrites {
  /** Statements. */
  readonly count: number
  /** Milliseconds since the last one. */
  readonly agoMs: number
}

/** Counts the statements of a client that write rows of a model. */
export class WrittenModels {
  readonly #models = new Map<string, { count: number; lastAtMs: number }>()

  note(model: string): void {
    const known = this.#models.get(model)
    if (known) known.count++
    else this.#models.set(model, { count: 1, lastAtMs: 0 })
    this.#models.get(model)!.lastAtMs = performance.now()
  }

  all(): ReadonlyMap<string, ModelWrites> {
    const now = performance.now()
    return new Map(
      [...this.#models].map(([model, { count, lastAtMs }]) => [
        model,
        { count, agoMs: Math.round(now - lastAtMs) },
      ]),
    )
  }
}
