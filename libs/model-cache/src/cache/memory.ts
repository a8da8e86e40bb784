import type { RegisterScope, RowId } from '../protocol/index.js'
import type { InvalidationClock } from './invalidation-clock.js'
import type { L1 } from './read/l1.js'
import type { History, Writer } from './telemetry/history.js'

type MemoryPart = Pick<L1<unknown>, 'forget' | 'forgetAll'>

/** What this process holds of the rows and entries of a cache. */
export class Memory {
  readonly #clock: InvalidationClock
  readonly #history: History
  readonly #parts: MemoryPart[] = []

  constructor(clock: InvalidationClock, history: History) {
    this.#clock = clock
    this.#history = history
  }

  add(part: MemoryPart | undefined): void {
    if (part) this.#parts.push(part)
  }

  /** Forgets rows that are written, and refuses what running loads have of them. */
  readonly forget = (rowIds: readonly RowId[], writer: Writer): void => {
    this.#history.written(rowIds, writer)
    for (const rowId of rowIds) this.#clock.advance(rowId)
    for (const part of this.#parts) part.forget(rowIds)
  }

  /** Forgets all rows of the scope, as unknown ones are written, and refuses what running loads have of them. */
  readonly forgetAll = (scope: RegisterScope): void => {
    this.#history.writtenUnknown(scope)
    this.#clock.advanceAll()
    this.forgetHeld(scope)
  }

  /** Forgets what may have been written by others. The store refuses running loads of it. */
  readonly forgetHeld = (scope: RegisterScope): void => {
    for (const part of this.#parts) part.forgetAll(scope)
  }
}
