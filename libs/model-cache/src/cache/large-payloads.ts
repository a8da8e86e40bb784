import type { ModelObserver } from './observer.js'

export interface LargePayloadsParts {
  readonly name: string
  /** Characters of a row as text from which on it is large. */
  readonly largePayloadBytes: number
  readonly observer: ModelObserver
  readonly warn: (message: string) => void
}

/** Tells of rows so large that one of them alone is a burden to the event loop: of the first in words, of all by a counter. */
export class LargePayloads {
  readonly #parts: LargePayloadsParts
  #hasWarned = false

  constructor(parts: LargePayloadsParts) {
    this.#parts = parts
  }

  notice(length: number): void {
    const { largePayloadBytes, name, observer, warn } = this.#parts
    if (length < largePayloadBytes) return
    observer.largePayloads(1)
    if (this.#hasWarned) return
    this.#hasWarned = true
    warn(
      `ModelCache "${name}": a row takes ${length} characters, and ${largePayloadBytes} or more are large: rows are decoded ` +
        `in one go, each time they are read. Leave fields out with \`select\`, divide the model, or raise \`largePayloadBytes\`; ` +
        `further ones are only counted.`,
    )
  }
}
