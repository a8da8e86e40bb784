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
    let known = this.#models.get(model)
    if (!known) this.#models.set(model, (known = { count: 0, lastAtMs: 0 }))
    known.count++
    known.lastAtMs = performance.now()
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
