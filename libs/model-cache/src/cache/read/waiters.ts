/** A caller that waits for a row. */
export interface Waiter<Row> {
  resolve(row: Row | null): void
  reject(error: unknown): void
}

/** Stands for a read without a caller. */
export const nobody: Waiter<unknown> = { resolve: () => {}, reject: () => {} }

/** Callers that wait for one row together. Each is resolved by itself, or all are rejected. */
export interface WaiterGroup<Row> extends Waiter<Row> {
  /** Returns what one more caller waits for. */
  join(): Promise<Row | null>
  readonly isFull: boolean
}

/** Callers of one {@link CopyGroup}, at most: as many as get their copies at once, and then run. */
export const maxGroupSize = 16

/**
 * Callers that each get a row of their own. One promise resolves with the rows of all, and each caller waits for a `then` of
 * it, which costs a third of a promise with functions of its own.
 */
export class CopyGroup<Row> implements WaiterGroup<Row> {
  readonly #all = Promise.withResolvers<(Row | null)[]>()
  readonly #rows: (Row | null)[] = []
  #size = 0

  get isFull(): boolean {
    return this.#size === maxGroupSize
  }

  join(): Promise<Row | null> {
    this.#size++
    return this.#all.promise.then(takeRow<Row>)
  }

  resolve(row: Row | null): void {
    if (this.#rows.push(row) === this.#size) this.#all.resolve(this.#rows)
  }

  reject(error: unknown): void {
    this.#all.reject(error)
  }
}

const takeRow = <Row>(rows: (Row | null)[]): Row | null => rows.pop()!

/** Callers that all get one row, and so one promise. */
export class SharingGroup<Row> implements WaiterGroup<Row> {
  readonly isFull = false
  readonly #one = Promise.withResolvers<Row | null>()
  readonly resolve = this.#one.resolve
  readonly reject = this.#one.reject

  join(): Promise<Row | null> {
    return this.#one.promise
  }
}

/** Waits for several rows, and resolves with them in the order of their ids. */
export class RowsWaiter<Row> {
  readonly #rows: (Row | null)[]
  readonly #waiter: { resolve(rows: (Row | null)[]): void; reject(error: unknown): void }
  #missing: number

  constructor(count: number, waiter: { resolve(rows: (Row | null)[]): void; reject(error: unknown): void }) {
    this.#rows = Array<Row | null>(count).fill(null)
    this.#waiter = waiter
    this.#missing = count
  }

  /** The waiter for the row at one place. */
  at(place: number): Waiter<Row> {
    return new RowWaiter(this, place)
  }

  resolve(place: number, row: Row | null): void {
    this.#rows[place] = row
    if (--this.#missing === 0) this.#waiter.resolve(this.#rows)
  }

  reject(error: unknown): void {
    this.#waiter.reject(error)
  }
}

class RowWaiter<Row> implements Waiter<Row> {
  readonly #all: RowsWaiter<Row>
  readonly #place: number

  constructor(all: RowsWaiter<Row>, place: number) {
    this.#all = all
    this.#place = place
  }

  resolve(row: Row | null): void {
    this.#all.resolve(this.#place, row)
  }

  reject(error: unknown): void {
    this.#all.reject(error)
  }
}
