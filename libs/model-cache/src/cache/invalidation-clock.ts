import { hashOf } from '../consistency/hash.js'
import type { RowId } from '../consistency/row-id.js'

/** Rows share slots, so that memory is bounded. Two rows of one slot cost a fill now and then, never a wrong row. */
const slots = 4_096

/** Remembers when rows were invalidated last, by a clock that each invalidation moves on. */
export class InvalidationClock {
  readonly #invalidatedAt = new Float64Array(slots)
  #allInvalidatedAt = 0
  #clock = 0

  /** The moment, for {@link isUntouched}. */
  now(): number {
    return this.#clock
  }

  advance(rowId: RowId): void {
    this.#invalidatedAt[slotOf(rowId)] = ++this.#clock
  }

  advanceAll(): void {
    this.#allInvalidatedAt = ++this.#clock
  }

  /** Whether the row has not been invalidated since a moment. */
  isUntouched(rowId: RowId, since: number): boolean {
    return (
      this.#clock === since || Math.max(this.#allInvalidatedAt, this.#invalidatedAt[slotOf(rowId)]!) <= since
    )
  }
}

/**
 * Remembers when rows that have been answered with were asked for, so that none which was asked for earlier, and may be older, is kept
 * in their place. Rows share slots here, too.
 */
export class AnswerOrder {
  readonly #askedAtMs = new Float64Array(slots)
  #beganAtMs = 0

  /** From now on no row counts that was asked for before. */
  begin(): void {
    this.#beganAtMs = performance.now()
  }

  /** Whether none has been answered with that was asked for later. */
  answer(rowId: RowId, askedAtMs: number): boolean {
    const slot = slotOf(rowId)
    if (askedAtMs < this.#beganAtMs || askedAtMs < this.#askedAtMs[slot]!) return false
    this.#askedAtMs[slot] = askedAtMs
    return true
  }
}

const slotOf = (rowId: RowId): number => hashOf(String(rowId)) & (slots - 1)
