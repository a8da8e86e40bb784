import { hashOf } from './hash.js'

/** Keys share slots, so that memory is bounded. Two keys of one slot cost a fill now and then, never a wrong row. */
const slots = 4_096

/** Remembers when keys were invalidated last, by a clock that each invalidation moves on. */
export class Stamps {
  readonly #invalidatedAt = new Float64Array(slots)
  #allInvalidatedAt = 0
  #clock = 0

  /** The moment, for {@link isUntouched}. */
  now(): number {
    return this.#clock
  }

  touch(key: string): void {
    this.#invalidatedAt[hashOf(key) & (slots - 1)] = ++this.#clock
  }

  touchAll(): void {
    this.#allInvalidatedAt = ++this.#clock
  }

  /** Whether the key has not been invalidated since a moment. */
  isUntouched(key: string, since: number): boolean {
    return (
      this.#clock === since ||
      Math.max(this.#allInvalidatedAt, this.#invalidatedAt[hashOf(key) & (slots - 1)]!) <= since
    )
  }
}
