import type { Codec } from '../codec/codec.js'
import { type Slicer, unfinished } from '../event-loop/slicer.js'
import type { ModelObserver } from './observer.js'
import type { Read } from './read.js'
import { mostInCrowd, type Waiter } from './waiters.js'

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
  /** How many of the read's others have theirs. */
  handedOut = 0
  /** How many are made at once; 0 until it is known how long one takes. */
  atOnce = 0

  constructor(
    readonly read: Read<Row, unknown>,
    readonly row: Row,
    readonly isKept: boolean,
  ) {}
}

/** How long a queue gets before there is a new one: rows that have been handed out are forgotten with their queue. */
const maxQueue = 256

/** What copies that are made at once may take, in milliseconds: of large rows they are made one by one. */
const atOnceMs = 0.1

/** Hands rows to those who wait for them: the one frozen row to all, or to each a row of its own. */
export class Answers<Row> {
  readonly #parts: AnswersParts<Row>
  readonly #observeCopies: (seconds: number) => void
  /** Of the copies that are being made, while more can be added. */
  #queue: Original<Row>[] | undefined

  constructor(parts: AnswersParts<Row>) {
    this.#parts = parts
    this.#observeCopies = (seconds) => parts.observer.syncSeconds('copy', seconds)
  }

  /** @param isKept whether the cache itself goes on using the row, so that nobody may get it to change it */
  deliver(read: Read<Row, unknown>, row: Row | null, isKept: boolean): void {
    const { waiter, others } = read
    if (row === null || this.#parts.sharesRows) {
      waiter.resolve(row)
      if (others) for (const other of others) other.resolve(row)
      return this.answered(read)
    }
    if (others) return this.#enqueue(new Original(read, row, isKept))
    this.#finish(read, row, isKept)
  }

  #enqueue(original: Original<Row>): void {
    const isUnderWay = this.#queue !== undefined
    const queue = (this.#queue ??= [])
    queue.push(original)
    if (!isUnderWay) void this.#parts.track(this.#handOut(queue))
    if (queue.length >= maxQueue) this.#queue = undefined
  }

  /** Works a queue off, to which more may be added meanwhile. */
  #handOut(queue: Original<Row>[]): Promise<void> {
    const visit = (original: Original<Row>, index: number): unknown => {
      const { read, row, isKept } = original
      this.#handOutSome(original, read.others!)
      if (original.handedOut < read.others!.length) return unfinished
      if (index === queue.length - 1 && queue === this.#queue) this.#queue = undefined
      return this.#finish(read, row, isKept)
    }
    return this.#parts.slicer.each(queue, visit, this.#observeCopies)
  }

  #handOutSome(original: Original<Row>, others: readonly Waiter<Row>[]): void {
    const { row } = original
    if (original.atOnce === 0) {
      const startedAtMs = performance.now()
      others[original.handedOut++]!.resolve(this.#copyOf(row))
      const tookMs = performance.now() - startedAtMs
      original.atOnce = Math.max(1, Math.min(mostInCrowd, Math.floor(atOnceMs / tookMs)))
    }
    const count = Math.min(original.atOnce, others.length - original.handedOut)
    const copies = this.#copiesOf(row, count)
    for (let i = 0; i < count; i++) others[original.handedOut++]!.resolve(copies[i]!)
  }

  /** The row itself goes last: who has it may change it. */
  #finish(read: Read<Row, unknown>, row: Row, isKept: boolean): void {
    read.waiter.resolve(isKept ? this.#copyOf(row) : row)
    this.answered(read)
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

  #copiesOf(row: Row, count: number): Row[] {
    try {
      return this.#parts.codec.cloneMany(row, count)
    } catch {
      return Array<Row>(count).fill(row)
    }
  }

  /** Counts a read that has its answer, or whose callers another read will answer. */
  answered({ batch }: Read<Row, unknown>): void {
    if (--batch.unanswered > 0 || batch.isBackground) return
    this.#parts.observer.readSeconds((performance.now() - batch.askedAtMs) / 1_000, batch.ids)
  }
}
