import type { OperatorLog } from '../../protocol/index.js'
import type { ModelObserver } from './observer.js'

const remedies = {
  row: 'Leave out fields with `select`, divide the model, or raise `largePayloadBytes`.',
  list: 'Give it a `limit`, lower its `maxRows`, or raise `largePayloadBytes`.',
}

/** Counts payloads so large that one alone burdens the event loop, and warns of the first. */
export class LargePayloads {
  readonly #name: string
  readonly #largeBytes: number
  readonly #observer: ModelObserver
  readonly #log: OperatorLog
  readonly #contents: keyof typeof remedies
  #hasWarned = false

  /** @param largeBytes bytes from which on a stored payload is large */
  constructor(
    name: string,
    largeBytes: number,
    observer: ModelObserver,
    log: OperatorLog,
    contents: keyof typeof remedies = 'row',
  ) {
    this.#name = name
    this.#largeBytes = largeBytes
    this.#observer = observer
    this.#log = log
    this.#contents = contents
  }

  /** Returns a watch over the entries of a lookup of this cache. */
  ofLists(name: string, observer: ModelObserver): LargePayloads {
    return new LargePayloads(name, this.#largeBytes, observer, this.#log, 'list')
  }

  notice(bytes: number): void {
    if (bytes < this.#largeBytes) return
    this.#observer.largePayloads(1)
    if (this.#hasWarned) return
    this.#hasWarned = true
    const contents = this.#contents
    this.#log.warn(
      `ModelCache "${this.#name}": a ${contents} takes ${bytes} bytes, and ${this.#largeBytes} or more are large: each read ` +
        `decodes the ${contents} in one piece. ${remedies[contents]} Further large ${contents}s are only counted.`,
    )
  }
}
