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

/**
 * The order in which rows were delivered. A row that was requested earlier than one already delivered may be older, and must
 * not replace it in memory. Rows share slots here as well.
 */
export class DeliveryOrder {
  readonly #requestedAtMs = new Float64Array(slots)
  #beganAtMs = 0

  /** Refuses every row that was requested before now. */
  restart(): void {
    this.#beganAtMs = performance.now()
  }

  /** Notes a delivery. Returns whether no row was delivered that was requested later. */
  advance(rowId: RowId, requestedAtMs: number): boolean {
    const slot = slotOf(rowId)
    if (requestedAtMs < this.#beganAtMs || requestedAtMs < this.#requestedAtMs[slot]!) return false
    this.#requestedAtMs[slot] = requestedAtMs
    return true
  }
}

const slotOf = (rowId: RowId): number => hashOf(String(rowId)) & (slots - 1)
