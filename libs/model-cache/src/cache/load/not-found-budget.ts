/** What reads of rows that do not exist may put into the store, by one cache together with its lookups. */
export interface NotFoundBudgets {
  /** For what lives as long as a negative entry. */
  readonly entries: NotFoundBudget
  /** For empty lists that live as long as other lists. */
  readonly lists: NotFoundBudget
}

/** The time over which entries count that are not stored. */
const defaultWindowMs = 30_000

/** @param bytes of each of both */
export function createNotFoundBudgets(
  bytes: number,
  { notFoundTtlMs, staleForMs, ttlMs }: Readonly<Record<'notFoundTtlMs' | 'staleForMs' | 'ttlMs', number>>,
): NotFoundBudgets {
  return {
    entries: new NotFoundBudget(bytes, notFoundTtlMs || defaultWindowMs),
    lists: new NotFoundBudget(bytes, ttlMs + staleForMs),
  }
}

/** Bytes that the store takes for an entry besides its key and its payload. */
const overheadBytes = 256

/**
 * Bounds what reads of rows that do not exist put into the store: so many bytes in a time. If entries live for that time, the store has at
 * most twice as many bytes of them at once, by this process.
 */
export class NotFoundBudget {
  readonly #bytes: number
  readonly #windowMs: number
  #endsAtMs = 0
  #left = 0

  constructor(bytes: number, windowMs: number) {
    this.#bytes = bytes
    this.#windowMs = windowMs
  }

  /** Whether an entry may be stored. Then it is taken from what is left. */
  take(key: string, payload: string, nowMs = performance.now()): boolean {
    if (nowMs >= this.#endsAtMs) {
      this.#endsAtMs = nowMs + this.#windowMs
      this.#left = this.#bytes
    }
    // The key may be of several bytes a character, and no payload is shorter than its id.
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(payload) + overheadBytes
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }
}
