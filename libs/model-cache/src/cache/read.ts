import type { Identity } from './key-space.js'

/** Somebody who waits for a row. */
export interface Waiter<Row> {
  resolve(row: Row | null): void
  reject(error: unknown): void
}

/** The reads of one tick, for their common clock. */
export interface ReadBatch {
  readonly askedAtMs: number
  /** Distinct ids. */
  ids: number
  unanswered: number
}

/** One row that somebody waits for. */
export interface Read<Row, Id> {
  readonly id: Id
  readonly identity: Identity
  /** When it was asked for, by the stamps: a row from before a later invalidation may be answered with, but not kept. */
  readonly since: number
  readonly batch: ReadBatch
  readonly waiter: Waiter<Row>
  /** Who else waits for it. */
  others: Waiter<Row>[] | undefined
  /** Made when the store is asked. */
  key: string
  /** Under which its row is stored, or null when it must not be. */
  epoch: string | null
}

/** Lets those who wait for one read wait for another of the same row. */
export function joinRead<Row, Id>(read: Read<Row, Id>, other: Read<Row, Id>): void {
  const others = (other.others ??= [])
  others.push(read.waiter)
  if (read.others) for (const waiter of read.others) others.push(waiter)
}

/** Waits for several rows, and gives them in the order in which they were asked for. */
export class RowsWaiter<Row> {
  readonly #rows: (Row | null)[]
  readonly #waiter: { resolve(rows: (Row | null)[]): void; reject(error: unknown): void }
  #missing: number

  constructor(count: number, waiter: { resolve(rows: (Row | null)[]): void; reject(error: unknown): void }) {
    this.#rows = Array<Row | null>(count).fill(null)
    this.#waiter = waiter
    this.#missing = count
  }

  /** The one who waits for the row at this place. */
  at(place: number): Waiter<Row> {
    return {
      resolve: (row) => {
        this.#rows[place] = row
        if (--this.#missing === 0) this.#waiter.resolve(this.#rows)
      },
      reject: (error) => this.#waiter.reject(error),
    }
  }
}
