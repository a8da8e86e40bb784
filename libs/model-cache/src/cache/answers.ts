import type { Codec } from '../codec/codec.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { ModelObserver } from './observer.js'
import type { Read } from './read.js'
import type { Waiter } from './waiters.js'

export interface AnswersParts<Row> {
  readonly codec: Codec<Row>
  readonly sharesRows: boolean
  readonly slicer: Slicer
  readonly observer: ModelObserver
  /** Keeps the end of the process waiting. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/** A row of which there are to be copies. */
class Original<Row> {
  constructor(
    readonly read: Read<Row, unknown>,
    readonly row: Row,
    readonly isKept: boolean,
  ) {}
}

/** What is to be handed out: an original, those who get copies of it, and again the original for who gets itself. */
type Queue<Row> = (Original<Row> | Waiter<Row>)[]

/** How long a queue gets before there is a new one: what has been handed out is forgotten with its queue. */
const maxQueue = 4_096

/** Hands rows to those who wait for them: the one frozen row to all, or to each a row of its own. */
export class Answers<Row> {
  readonly #parts: AnswersParts<Row>
  readonly #observeCopies: (seconds: number) => void
  /** Of the copies that are being made, while more can be added. */
  #queue: Queue<Row> | undefined

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
    if (others) return this.#enqueue(new Original(read, row, isKept), others)
    waiter.resolve(isKept ? this.#copyOf(row) : row)
    this.answered(read)
  }

  #enqueue(original: Original<Row>, others: readonly Waiter<Row>[]): void {
    const isUnderWay = this.#queue !== undefined
    const queue = (this.#queue ??= [])
    queue.push(original)
    for (const other of others) queue.push(other)
    queue.push(original)
    if (!isUnderWay) void this.#parts.track(this.#handOut(queue))
    if (queue.length >= maxQueue) this.#queue = undefined
  }

  /** Works a queue off, to which more may be added meanwhile. */
  #handOut(queue: Queue<Row>): Promise<void> {
    let current: Original<Row> | undefined
    const visit = (item: Original<Row> | Waiter<Row>, index: number): void => {
      if (!(item instanceof Original)) item.resolve(this.#copyOf(current!.row))
      else if (item !== current) current = item
      else {
        // The row itself goes last: who has it may change it.
        const { read, row, isKept } = item
        read.waiter.resolve(isKept ? this.#copyOf(row) : row)
        this.answered(read)
      }
      if (index === queue.length - 1 && queue === this.#queue) this.#queue = undefined
    }
    return this.#parts.slicer.each(queue, visit, this.#observeCopies)
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
