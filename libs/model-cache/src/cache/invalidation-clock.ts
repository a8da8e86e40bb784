import { hashOf, type RowId } from '../protocol/index.js'

/** Rows share slots, which bounds memory. Two rows of one slot cost a fill now and then, never a wrong row. */
const slots = 4_096

/** A logical clock of this process that each invalidation advances, for one row or for all. */
export class InvalidationClock {
  readonly #invalidatedAt = new Float64Array(slots)
  #allInvalidatedAt = 0
  #now = 0

  /** The current time, for {@link isCurrent}. */
  now(): number {
    return this.#now
  }

  advance(rowId: RowId): void {
    this.#invalidatedAt[slotOf(rowId)] = ++this.#now
  }

  advanceAll(): void {
    this.#allInvalidatedAt = ++this.#now
  }

  /** Whether the row has not been invalidated since a time of this clock. */
  isCurrent(rowId: RowId, since: number): boolean {
    return (
      this.#now === since || Math.max(this.#allInvalidatedAt, this.#invalidatedAt[slotOf(rowId)]!) <= since
    )
  }
}

/** A time of one clock, or those of several. */
export type InvalidationMoment = number | readonly InvalidationMoment[]

/** The part of a moment of several clocks that is that of one of them. */
export const momentOf = (moment: InvalidationMoment, index: number): InvalidationMoment =>
  (moment as readonly InvalidationMoment[])[index]!

/** A clock, or several, as those who read it see it. */
export interface InvalidationTime {
  now(): InvalidationMoment
  /** Whether the row has not been invalidated since a time of this clock. */
  isCurrent(rowId: RowId, since: InvalidationMoment): boolean
}

/** The clock of results, which tells apart what may be stored and what may be given from memory. */
export interface ResultTime extends InvalidationTime {
  /** Whether nothing that a result was read from may have been written, by others as well, since it was requested. */
  isHeld(rowId: RowId, since: InvalidationMoment): boolean
}

/** How a row was read, compared with those that have been delivered: before one of them, in part beside it, or after all. */
export type ReadOrder = 'before' | 'beside' | 'after'

/**
 * The order in which delivered rows were read. A row that was read before one that has been delivered may be older, and must not
 * replace it in memory. Rows share slots here as well.
 *
 * A row of the store counts as read when the store is queried, one of the source when the source has answered: a load may wait for a
 * permit, and return what was written after the store was read.
 */
export class DeliveryOrder {
  readonly #readAtMs = new Float64Array(slots)
  #beganAtMs = 0

  /** Counts every row as older that was read before now. */
  restart(): void {
    this.#beganAtMs = performance.now()
  }

  /**
   * Notes a delivery.
   *
   * @param requestedAtMs when the read began, which may see what was there at any time from then on
   */
  advance(rowId: RowId, readAtMs: number, requestedAtMs = readAtMs): ReadOrder {
    const slot = slotOf(rowId)
    const slotAtMs = this.#readAtMs[slot]!
    const lastAtMs = Math.max(slotAtMs, this.#beganAtMs)
    if (readAtMs < lastAtMs) return 'before'
    this.#readAtMs[slot] = readAtMs
    // Rows of one call of the source share slots, too.
    return requestedAtMs >= lastAtMs || readAtMs === slotAtMs ? 'after' : 'beside'
  }
}

const slotOf = (rowId: RowId): number => hashOf(String(rowId)) & (slots - 1)
