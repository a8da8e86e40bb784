import type { ModelObserver } from './observer.js'

export interface LargePayloadsDependencies {
  readonly name: string
  /** Bytes from which on a stored payload is large. */
  readonly largePayloadBytes: number
  readonly observer: ModelObserver
  readonly warn: (message: string) => void
}

const remedies = {
  row: 'Leave out fields with `select`, divide the model, or raise `largePayloadBytes`.',
  list: 'Give it a `limit`, lower its `maxRows`, or raise `largePayloadBytes`.',
}

/** Counts payloads so large that one alone burdens the event loop, and warns of the first. */
export class LargePayloads {
  readonly #dependencies: LargePayloadsDependencies
  readonly #contents: keyof typeof remedies
  #hasWarned = false

  constructor(dependencies: LargePayloadsDependencies, contents: keyof typeof remedies = 'row') {
    this.#dependencies = dependencies
    this.#contents = contents
  }

  /** The same for the entries of a lookup of this cache. */
  ofLists(name: string, observer: ModelObserver): LargePayloads {
    return new LargePayloads({ ...this.#dependencies, name, observer }, 'list')
  }

  notice(bytes: number): void {
    const { largePayloadBytes, name, observer, warn } = this.#dependencies
    const contents = this.#contents
    if (bytes < largePayloadBytes) return
    observer.largePayloads(1)
    if (this.#hasWarned) return
    this.#hasWarned = true
    warn(
      `ModelCache "${name}": a ${contents} takes ${bytes} bytes, and ${largePayloadBytes} or more are large: each read ` +
        `decodes the ${contents} in one piece. ${remedies[contents]} Further large ${contents}s are only counted.`,
    )
  }
}
