import { type Slicer, unfinished } from '@model-cache/event-loop/internal'
import { copyByValue } from '../../codec/codec.js'
import type { CacheContext, RowCodec } from '../context.js'
import type { ModelObserver } from '../telemetry/observer.js'
import type { Read } from './read.js'
import { maxGroupSize, type Waiter } from './waiters.js'

/** A row of which copies are made. */
class Original<Row> {
  /** How many of the read's others have their copy. */
  copied = 0
  /** How many copies are made at once; 0 until the first one has been timed. */
  atOnce = 0

  constructor(
    readonly read: Read<Row, unknown>,
    readonly row: Row,
    readonly isKept: boolean,
    /** Whether the row matches its schema, by which it is copied then. */
    readonly isMatching: boolean,
  ) {}
}

/** Rows of one queue, at most. A queue holds its rows until all of them have been copied. */
const maxQueue = 256

/** Milliseconds that copies made at once may take; copies of large rows are made one by one. */
const atOnceMs = 0.1

/** What becomes of reads that have been answered. */
export abstract class RowDelivery<Row> {
  readonly #observer: ModelObserver

  constructor(observer: ModelObserver) {
    this.#observer = observer
  }

  /** @param isKept whether the cache keeps the row, so that no caller may get it to change it. Such a row matches its schema. */
  abstract deliver(read: Read<Row, unknown>, row: Row | null, isKept: boolean): void
  /** As {@link deliver}, for a row of the source, which may not match its schema. */
  abstract deliverLoaded(read: Read<Row, unknown>, row: Row | null, isKept: boolean): void

  fail(read: Read<Row, unknown>, error: unknown): void {
    read.waiter.reject(error)
    if (read.others) for (const other of read.others) other.reject(error)
    this.countDelivered(read)
  }

  /** Counts a read that has been delivered, or whose waiters now wait for another read. */
  countDelivered({ batch }: Read<Row, unknown>): void {
    if (--batch.undelivered > 0 || batch.isBackground) return
    const seconds = (performance.now() - batch.requestedAtMs) / 1_000
    this.#observer.readSeconds(seconds, batch.ids, batch.isMiss ? 'miss' : 'hit')
  }

  /** Gives one row, or none, to all waiters. */
  protected resolve(read: Read<Row, unknown>, row: Row | null): void {
    read.waiter.resolve(row)
    if (read.others) for (const other of read.others) other.resolve(row)
    this.countDelivered(read)
  }
}

/**
 * Gives rows to their waiters: a row of its own to each, or one row to all. That one is frozen, unless a single waiter is the only one who
 * ever has it: freezing costs as much as decoding.
 */
export class Delivery<Row, Id> extends RowDelivery<Row> {
  readonly #context: CacheContext<Row, Id>
  readonly #slicer: Slicer
  readonly #observeCopies: (seconds: number) => void
  /** Rows that are being copied, while more can be added. */
  #queue: Original<Row>[] | undefined

  constructor(context: CacheContext<Row, Id>) {
    super(context.telemetry.observer)
    this.#context = context
    this.#slicer = context.runtime.slicer
    this.#observeCopies = (seconds) => context.telemetry.observer.syncSeconds('copy', seconds)
  }

  deliver(read: Read<Row, unknown>, row: Row | null, isKept: boolean): void {
    this.#deliver(read, row, isKept, false)
  }

  deliverLoaded(read: Read<Row, unknown>, row: Row | null, isKept: boolean): void {
    this.#deliver(read, row, isKept, true)
  }

  #deliver(read: Read<Row, unknown>, row: Row | null, isKept: boolean, isLoaded: boolean): void {
    const { others } = read
    if (row === null || this.#context.policy.sharesRows) {
      if (row !== null && (others || isKept)) shareRow(this.#context.model.codec, row)
      this.resolve(read, row)
    } else if (others) {
      const isMatching = isKept || !isLoaded || matchesSchema(this.#context.model.codec, row)
      this.#enqueue(new Original(read, row, isKept, isMatching))
    } else {
      try {
        this.#finish(read, row, isKept)
      } catch (error) {
        this.fail(read, error)
      }
    }
  }

  #enqueue(original: Original<Row>): void {
    const isCopying = this.#queue !== undefined
    const queue = (this.#queue ??= [])
    queue.push(original)
    if (!isCopying) void this.#context.runtime.inFlight.track(this.#copyQueue(queue))
    if (queue.length >= maxQueue) this.#queue = undefined
  }

  /** Copies the rows of a queue, to which more may be added meanwhile. */
  #copyQueue(queue: Original<Row>[]): Promise<void> {
    const visit = (original: Original<Row>, index: number): unknown => {
      const { read, row, isKept } = original
      try {
        this.#copySome(original, read.others!)
        if (original.copied < read.others!.length) return unfinished
        this.#finish(read, row, isKept)
      } catch (error) {
        this.fail(read, error)
      }
      if (index === queue.length - 1 && queue === this.#queue) this.#queue = undefined
      return undefined
    }
    return this.#slicer.each(queue, visit, this.#observeCopies)
  }

  #copySome(original: Original<Row>, others: readonly Waiter<Row>[]): void {
    const { isMatching, row } = original
    if (original.atOnce === 0) {
      const startedAtMs = performance.now()
      others[original.copied++]!.resolve(isMatching ? this.#copyOf(row) : copyByValue(row))
      const tookMs = performance.now() - startedAtMs
      original.atOnce = Math.max(1, Math.min(maxGroupSize, Math.floor(atOnceMs / tookMs)))
    }
    const count = Math.min(original.atOnce, others.length - original.copied)
    const copies = isMatching ? this.#context.model.codec.cloneMany(row, count) : undefined
    for (let i = 0; i < count; i++) others[original.copied++]!.resolve(copies ? copies[i]! : copyByValue(row))
  }

  /** The row itself goes last: its caller may change it. */
  #finish(read: Read<Row, unknown>, row: Row, isKept: boolean): void {
    read.waiter.resolve(isKept ? this.#copyOf(row) : row)
    this.countDelivered(read)
  }

  #copyOf(row: Row): Row {
    return this.#context.model.codec.clone(row)
  }
}

/** Whether a row can be copied by its schema: one that does not match it would be copied in part. */
export function matchesSchema<Row>(codec: RowCodec<Row>, row: Row): boolean {
  try {
    codec.encode(row)
    return true
  } catch {
    return false
  }
}

/** Freezes a row that is shared. One that does not match its schema, which encoding has reported, is served unfrozen. */
export function shareRow<Row>(codec: RowCodec<Row>, row: Row): void {
  if (Object.isFrozen(row)) return
  try {
    codec.freeze(row)
  } catch {
    // As it is.
  }
}
