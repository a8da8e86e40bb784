import { LRUCache } from 'lru-cache'
import type { RowId } from '../consistency/row-id.js'

export interface L1Options {
  readonly maxEntries: number
  readonly maxBytes: number
  readonly ttlMs: number
}

/** Stands for "there is no row": lru-cache has no place for null. */
const noRow = Symbol('no row')

/** What an entry costs beside the text of its row: key, object, list node. Measured: `npm run bench -- storm` shows the heap. */
const entryBytes = 512

/**
 * Rows in the memory of this process, for a short time. What is put in stays private to it, unless rows are frozen.
 *
 * Lives differ by up to a tenth, so that rows which came together do not leave together.
 */
export class L1<Row> {
  readonly #rows: LRUCache<RowId, (Row & object) | typeof noRow>
  readonly #ttlMs: number

  constructor({ maxEntries, maxBytes, ttlMs }: L1Options) {
    this.#rows = new LRUCache({ max: maxEntries, maxSize: maxBytes, ttl: ttlMs } as never)
    this.#ttlMs = ttlMs
  }

  /** The row itself, not a copy; null where there is none, undefined where this is not known. */
  get(rowId: RowId): Row | null | undefined {
    const held = this.#rows.get(rowId)
    return held === noRow ? null : (held as Row | undefined)
  }

  /**
   * @param length characters of the row as text, which stand for its size in memory
   * @param lifeMs where it is shorter than that of other rows; 0 for none
   */
  set(rowId: RowId, row: Row | null, length: number, lifeMs = this.#ttlMs): void {
    // To lru-cache a ttl of 0 is one without end.
    if (lifeMs <= 0) return this.delete(rowId)
    const ttl = Math.min(lifeMs, this.#ttlMs) * (0.9 + Math.random() / 10)
    const size = entryBytes + 2 * length
    this.#rows.set(rowId, (row as Row & object) ?? noRow, { ttl, size })
  }

  has(rowId: RowId): boolean {
    return this.#rows.has(rowId)
  }

  delete(rowId: RowId): void {
    this.#rows.delete(rowId)
  }

  clear(): void {
    this.#rows.clear()
  }

  /** Forgets of which rows it was known that there are none. */
  clearNotFound(): void {
    for (const [rowId, row] of this.#rows.entries()) if (row === noRow) this.#rows.delete(rowId)
  }
}
