/** Rows that a query may read beside those of its result. More cost this process more than a statement of Prisma does. */
const spareRows = { stored: 32, held: 250 }
/** Rows that it may read for each row of its result, which Prisma has to make as well. */
const rowsPerResult = 2
/** Keys that are remembered. */
const maxKeys = 1_000
/** The weight of the last query in the share of costly ones. */
const weight = 1 / 8
/** The share from which on lists count as long whose length is not known. */
const highShare = 0.75

/** The keys for which a query costs less at the database. */
export class CostlyKeys {
  /** The queries that are yet to be passed on, by key. */
  readonly #left = new Map<unknown, number>()

  /** Whether the query is to be passed on. After that many of them one is not, as the list may have become shorter. */
  passes(key: unknown): boolean {
    const left = this.#left.get(key)
    if (left === undefined) return false
    if (left > 0) this.#left.set(key, left - 1)
    else this.#left.delete(key)
    return left > 0
  }

  /** @param rows what a query for the key reads: as many are passed on */
  add(key: unknown, rows: number): void {
    if (this.#left.size >= maxKeys) this.#left.delete(this.#left.keys().next().value)
    this.#left.set(key, rows)
  }

  delete(key: unknown): void {
    this.#left.delete(key)
  }
}

/**
 * What it costs to read whole lists for queries of one shape that want a part of each, or only its length: three microseconds a row, where
 * the database answers by an index. Learned from what such queries have read. `npm run bench -- pays` measures both.
 */
export class ListCosts {
  readonly #isCount: boolean
  readonly #spareRows: number
  readonly #costly = new CostlyKeys()
  #share = 0
  /** The queries for lists of unknown length that are yet to be passed on. */
  #left = 0

  /**
   * @param isCount whether rows are no part of the result
   * @param holdsRows whether this process has them in memory
   */
  constructor(isCount: boolean, holdsRows: boolean) {
    this.#isCount = isCount
    this.#spareRows = holdsRows ? spareRows.held : spareRows.stored
  }

  /** Whether the database is to answer for the lists of these keys. */
  areHigh(keys: readonly unknown[]): boolean {
    if (keys.length === 1 && this.#costly.passes(keys[0])) return true
    return this.#left > 0 && this.#left-- > 0
  }

  /**
   * @param read rows of the lists
   * @param selected those that are the result, or are counted
   */
  note(keys: readonly unknown[], read: number, selected: number): void {
    const isCostly = read > this.#spareRows + rowsPerResult * (this.#isCount ? 0 : selected)
    this.#share += weight * ((isCostly ? 1 : 0) - this.#share)
    this.#left = this.#share > highShare ? read : 0
    if (keys.length !== 1) return
    if (isCostly) this.#costly.add(keys[0], read)
    else this.#costly.delete(keys[0])
  }
}

/** Shapes of queries that are kept for a list. */
const maxShapes = 100

/** {@link ListCosts} by the shapes of queries of one list. */
export class CostsByShape {
  readonly #shapes = new Map<string, ListCosts>()
  readonly #holdsRows: boolean

  constructor(holdsRows: boolean) {
    this.#holdsRows = holdsRows
  }

  of(shape: string, isCount: boolean): ListCosts {
    let found = this.#shapes.get(shape)
    if (!found) {
      if (this.#shapes.size >= maxShapes) this.#shapes.clear()
      this.#shapes.set(shape, (found = new ListCosts(isCount, this.#holdsRows)))
    }
    return found
  }
}
