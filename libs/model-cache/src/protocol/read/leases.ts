import type { GuardedKey, LeaseAnswer, LeaseRequest, Refusal, Store } from '../backend/store.js'
import { newToken } from '../format/token.js'

/** The lease of a row, or why there is none. */
export type Leased =
  | LeaseAnswer
  | {
      readonly token: null
      /**
       * `'evicting'`, `'late'`: the store may have lost the record of a write, or no longer has it, so a row that was read before its
       * lease must not be stored.
       */
      readonly refusal: Refusal | 'store_error' | 'evicting'
    }

/** Leases rows of one model. The holder of a lease may store the row that it loads afterwards. No method rejects. */
export class Leases {
  readonly #store: Store
  readonly #leaseMs: number

  constructor(store: Store, leaseMs: number) {
    this.#store = store
    this.#leaseMs = leaseMs
  }

  /**
   * Takes leases for rows to load; with `onlyAbsent` only if there is still no value.
   *
   * @param untilMs {@link RegisterSnapshot.leaseUntilMs}
   */
  take(keys: readonly GuardedKey[], onlyAbsent: boolean, untilMs?: number): Promise<readonly Leased[]> {
    return this.#ask(keys, { onlyAbsent, onlyUnmarked: false, untilMs })
  }

  /**
   * Takes leases for rows that were loaded before. Writes are remembered for `leaseMs`, so a lease that is granted later than this
   * after the query began may have missed one.
   *
   * @param loadedAtMs when the query began, in milliseconds of `performance.now()`
   * @param untilMs {@link RegisterSnapshot.leaseUntilMs}
   */
  async takeForLoaded(
    keys: readonly GuardedKey[],
    loadedAtMs: number,
    untilMs?: number,
  ): Promise<readonly Leased[]> {
    const isLate = (): boolean => performance.now() - loadedAtMs >= this.#leaseMs
    if (isLate()) return keys.map(() => late)
    const mayEvict = keys.length > 0 && (await this.#store.mayEvictGuards().catch(() => true))
    if (mayEvict) return keys.map(() => evicting)
    const answers = await this.#ask(keys, { onlyAbsent: true, onlyUnmarked: true, untilMs })
    if (!isLate()) return answers
    // Each script of a store gives its rows another lease.
    const tokens = Map.groupBy(keys, (_, i) => answers[i]!.token)
    await Promise.all(Array.from(tokens, ([token, own]) => token !== null && this.release(own, token)))
    return keys.map(() => late)
  }

  async release(keys: readonly GuardedKey[], token: string): Promise<void> {
    if (keys.length > 0) await this.#store.releaseLeases(keys, token).catch(() => {})
  }

  async #ask(
    keys: readonly GuardedKey[],
    request: Pick<LeaseRequest, 'onlyAbsent' | 'onlyUnmarked' | 'untilMs'>,
  ): Promise<readonly Leased[]> {
    if (keys.length === 0) return []
    try {
      return await this.#store.leaseMany(keys, { ...request, token: newToken(), leaseMs: this.#leaseMs })
    } catch {
      return keys.map(() => failed)
    }
  }
}

const failed: Leased = { token: null, refusal: 'store_error' }
const evicting: Leased = { token: null, refusal: 'evicting' }
const late: Leased = { token: null, refusal: 'late' }
