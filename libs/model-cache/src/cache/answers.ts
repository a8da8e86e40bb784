import type { Codec } from '../codec/codec.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { ModelObserver } from './observer.js'
import type { Read } from './read.js'

export interface AnswersParts<Row> {
  readonly codec: Codec<Row>
  readonly sharesRows: boolean
  readonly slicer: Slicer
  readonly observer: ModelObserver
  /** Keeps the end of the process waiting. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/** Hands rows to those who wait for them: the one frozen row to all, or to each a row of its own. */
export class Answers<Row> {
  readonly #parts: AnswersParts<Row>
  readonly #observeCopies: (seconds: number) => void

  constructor(parts: AnswersParts<Row>) {
    this.#parts = parts
    this.#observeCopies = (seconds) => parts.observer.syncSeconds('copy', seconds)
  }

  /** @param isKept whether the cache itself goes on using the row, so that nobody may get it to change it */
  settle(read: Read<Row, unknown>, row: Row | null, isKept: boolean): void {
    const { waiter, others } = read
    if (row === null || this.#parts.sharesRows) {
      waiter.resolve(row)
      if (others) for (const other of others) other.resolve(row)
      return this.answered(read)
    }
    if (!others) {
      waiter.resolve(isKept ? this.#copyOf(row) : row)
      return this.answered(read)
    }
    // The row itself goes last: who has it may change it.
    const copies = this.#parts.slicer.each(
      others,
      (other) => other.resolve(this.#copyOf(row)),
      this.#observeCopies,
    )
    const all = copies.then(() => {
      waiter.resolve(isKept ? this.#copyOf(row) : row)
      this.answered(read)
    })
    void this.#parts.track(all)
  }

  fail(read: Read<Row, unknown>, error: unknown): void {
    read.waiter.reject(error)
    if (read.others) for (const other of read.others) other.reject(error)
    this.answered(read)
  }

  /** A row that does not match its schema cannot be copied; it is served all the same, one for all. */
  #copyOf(row: Row): Row {
    try {
      return this.#parts.codec.clone(row)
    } catch {
      return row
    }
  }

  /** Counts a read that has its answer, or whose callers another read will answer. */
  answered({ batch }: Read<Row, unknown>): void {
    if (--batch.unanswered > 0 || batch.isBackground) return
    this.#parts.observer.readSeconds((performance.now() - batch.askedAtMs) / 1_000, batch.ids)
  }
}
