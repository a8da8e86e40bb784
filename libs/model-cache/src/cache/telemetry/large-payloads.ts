import type { ModelObserver } from './observer.js'

export interface LargePayloadsDependencies {
  readonly name: string
  /** Bytes from which on a stored row is large. */
  readonly largePayloadBytes: number
  readonly observer: ModelObserver
  readonly warn: (message: string) => void
}

/** Counts rows so large that one alone burdens the event loop, and warns of the first. */
export class LargePayloads {
  readonly #dependencies: LargePayloadsDependencies
  #hasWarned = false

  constructor(dependencies: LargePayloadsDependencies) {
    this.#dependencies = dependencies
  }

  notice(bytes: number): void {
    const { largePayloadBytes, name, observer, warn } = this.#dependencies
    if (bytes < largePayloadBytes) return
    observer.largePayloads(1)
    if (this.#hasWarned) return
    this.#hasWarned = true
    warn(
      `ModelCache "${name}": a row takes ${bytes} bytes, and ${largePayloadBytes} or more are large: each read decodes the ` +
        'row in one piece. Leave out fields with `select`, divide the model, or raise `largePayloadBytes`. ' +
        'Further large rows are only counted.',
    )
  }
}
