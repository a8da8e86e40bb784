import { LRUCache } from 'lru-cache'
import type { RegisterScope, RowId } from '../../protocol/index.js'
import { DeliveryOrder, type InvalidationTime } from '../invalidation-clock.js'
import type { HotChange, ModelObserver } from '../telemetry/observer.js'
import { counters, HotIds, type HotReads } from './hot-ids.js'
import type { RowRequest } from './read.js'

export interface L1Options {
  readonly maxEntries: number
  readonly maxBytes: number
  readonly ttlMs: number
  /** Reads a second from which on a row is kept. Undefined to keep every row. */
  readonly hotPerSecond: number | undefined
}

/** A negative entry: lru-cache cannot hold null. */
const noRow = Symbol('no row')

/** Bytes of an entry beside its payload: key, object, list node. Measured: `npm run bench -- storm` shows the heap. */
const entryBytes = 512

/** What reads do with the rows in the memory of this process. */
export type RowMemory<Row> = Pick<L1<Row>, 'get' | 'countMiss' | 'admits' | 'keep' | 'supersede'>

/**
 * Rows in the memory of this process, for a short time. The cache never hands out a row that is in here, unless rows are
 * frozen.
 *
 * Lifetimes differ by up to a tenth, so that rows that came together do not expire together.
 */
export class L1<Row> {
  readonly #rows: LRUCache<RowId, (Row & object) | typeof noRow>
  readonly #ttlMs: number
  readonly #notFoundTtlMs: number
  readonly #clock: InvalidationTime
  readonly #observer: Pick<ModelObserver, 'hotIds' | 'l1Evictions'>
  /** The only rows that are kept. Undefined to keep every row. */
  readonly #hotIds: HotIds | undefined
  readonly #order = new DeliveryOrder()
  #changes = 0

  /** @param notFoundTtlMs TTL of negative entries, in milliseconds; 0 for none */
  constructor(
    options: L1Options,
    notFoundTtlMs: number,
    clock: InvalidationTime,
    observer: Pick<ModelObserver, 'hotIds' | 'l1Evictions'>,
  ) {
    const { hotPerSecond, maxEntries, maxBytes, ttlMs } = options
    const dispose = (_: (Row & object) | typeof noRow, _id: RowId, reason: LRUCache.DisposeReason): void => {
      this.#changes++
      if (reason === 'evict') observer.l1Evictions(1)
    }
    // More do not fit. The cache allocates room for all of them at once.
    const max = Math.min(maxEntries, Math.ceil(maxBytes / entryBytes))
    this.#rows = new LRUCache({ max, maxSize: maxBytes, ttl: ttlMs, dispose })
    this.#ttlMs = ttlMs
    this.#notFoundTtlMs = Math.min(notFoundTtlMs, ttlMs)
    this.#clock = clock
    this.#observer = observer
    if (hotPerSecond !== undefined) {
      const most = Math.min(maxEntries, counters)
      this.#hotIds = new HotIds({ perSecond: hotPerSecond, most, onChange: this.#changeHot })
    }
  }

  /** How many rows there are, and about how many bytes they take. */
  get size(): { readonly rows: number; readonly bytes: number } {
    return { rows: this.#rows.size, bytes: this.#rows.calculatedSize }
  }

  /** How often a row was replaced or dropped. What is found here holds until then. */
  get changes(): number {
    return this.#changes
  }

  /** What is read; undefined unless hot rows alone are kept. */
  get reads(): HotReads | undefined {
    return this.#hotIds?.reads
  }

  /** The row itself, not a copy; null for a negative entry, undefined for none. */
  get(rowId: RowId): Row | null | undefined {
    if (this.#hotIds?.countHot(rowId) === false) return undefined
    const kept = this.#rows.get(rowId)
    return kept === noRow ? null : (kept as Row | undefined)
  }

  /**
   * Notes a read for which there was none.
   *
   * @param hash `hashOf` its row id
   */
  countMiss(rowId: RowId, hash: number): void {
    this.#hotIds?.countOther(rowId, hash)
  }

  /** Whether a row that is delivered now may be kept. Its callers get copies then, or frozen rows. */
  admits(rowId: RowId): boolean {
    return this.#hotIds?.has(rowId) ?? true
  }

  has(rowId: RowId): boolean {
    return this.#rows.has(rowId)
  }

  /**
   * Keeps a row that is being delivered, unless one that was read later has been delivered, or the row was invalidated since its
   * request.
   *
   * @param readAtMs when it was read; see {@link DeliveryOrder}
   * @param length characters of the payload, which stand for its size in memory
   * @param ttlMs that of all rows, or a shorter one
   * @returns whether the row is kept
   */
  keep(
    { rowId, since }: RowRequest,
    readAtMs: number,
    row: Row | null,
    length: number,
    ttlMs = this.#ttlMs,
  ): boolean {
    if (!this.admits(rowId) || this.#order.advance(rowId, readAtMs) === 'before') return false
    const lifeMs = row === null ? this.#notFoundTtlMs : ttlMs
    // lru-cache takes a ttl of 0 for one without end.
    if (lifeMs === 0 || !this.#clock.isCurrent(rowId, since)) {
      this.#rows.delete(rowId)
      return false
    }
    const ttl = lifeMs * (0.9 + Math.random() / 10)
    this.#rows.set(rowId, (row as Row & object) ?? noRow, { ttl, size: entryBytes + 2 * length })
    return true
  }

  /**
   * Drops what may be older than a loaded row that is being delivered.
   *
   * @returns whether that row may be kept, once the store has taken it: not if one was delivered that may be newer
   */
  supersede(rowId: RowId, requestedAtMs: number, readAtMs: number): boolean {
    const order = this.#order.advance(rowId, readAtMs, requestedAtMs)
    if (order !== 'before') this.#rows.delete(rowId)
    return order === 'after'
  }

  forget(rowIds: readonly RowId[]): void {
    for (const rowId of rowIds) this.#rows.delete(rowId)
  }

  /** Forgets everything, or negative entries alone, and keeps nothing that was read before now. */
  forgetAll(scope: RegisterScope): void {
    if (scope === 'all') this.#rows.clear()
    else for (const [rowId, row] of this.#rows.entries()) if (row === noRow) this.#rows.delete(rowId)
    this.#order.restart()
  }

  readonly #changeHot = (change: HotChange, rowId: RowId): void => {
    this.#observer.hotIds(change, 1)
    if (change === 'demoted') this.#rows.delete(rowId)
    // Until now nobody noted which of its rows was delivered last.
    else this.#order.advance(rowId, performance.now())
  }
}
