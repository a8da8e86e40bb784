/** Somebody who waits for a row. */
export interface Waiter<Row> {
  resolve(row: Row | null): void
  reject(error: unknown): void
}

/** Waits for no row. */
export const nobody: Waiter<unknown> = { resolve: () => {}, reject: () => {} }

/** Callers who wait for one row together, of whom each is resolved or all are rejected. */
export interface Crowd<Row> extends Waiter<Row> {
  /** What one more caller waits for. */
  join(): Promise<Row | null>
  readonly isFull: boolean
}

/** The most callers of one {@link CopyCrowd}: as many as get their copies at once, and then run. */
export const mostInCrowd = 16

/**
 * Callers who each get a row of their own. The one promise behind them is told the rows of all; what each waits for is a `then`
 * of it, for a third of the price of a promise with functions of its own.
 */
export class CopyCrowd<Row> implements Crowd<Row> {
  readonly #all = Promise.withResolvers<(Row | null)[]>()
  readonly #rows: (Row | null)[] = []
  #size = 0

  get isFull(): boolean {
    return this.#size === mostInCrowd
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

/** Callers who all get one row, and so one promise of it. */
export class SharingCrowd<Row> implements Crowd<Row> {
  readonly isFull = false
  readonly #one = Promise.withResolvers<Row | null>()
  readonly resolve = this.#one.resolve
  readonly reject = this.#one.reject

  join(): Promise<Row | null> {
    return this.#one.promise
  }
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

/** Waits for one of several rows. */
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
