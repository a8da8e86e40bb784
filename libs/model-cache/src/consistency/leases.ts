import type { GuardedKey, LeaseAnswer, Refusal, Store } from '../store/store.js'
import { newToken } from './token.js'

/** The lease of a row, or why there is none. */
export type Leased =
  | LeaseAnswer
  | {
      readonly token: null
      /** `'evicting'`: the store may have lost the record of a write, so a row that was read before its lease must not be stored. */
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

  /** Takes leases for rows to load; with `onlyAbsent` only if there is still no value. */
  async take(keys: readonly GuardedKey[], onlyAbsent: boolean): Promise<readonly Leased[]> {
    return this.#ask(keys, onlyAbsent, false)
  }

  /** Takes leases for rows that were loaded before, by a query that began less than `leaseMs` ago. */
  async takeForLoaded(keys: readonly GuardedKey[]): Promise<readonly Leased[]> {
    const mayEvict = keys.length > 0 && (await this.#store.mayEvictGuards().catch(() => true))
    return mayEvict ? keys.map(() => evicting) : this.#ask(keys, true, true)
  }

  async release(keys: readonly GuardedKey[], token: string): Promise<void> {
    if (keys.length > 0) await this.#store.releaseLeases(keys, token).catch(() => {})
  }

  async #ask(
    keys: readonly GuardedKey[],
    onlyAbsent: boolean,
    onlyUnmarked: boolean,
  ): Promise<readonly Leased[]> {
    if (keys.length === 0) return []
    const request = { token: newToken(), leaseMs: this.#leaseMs, onlyAbsent, onlyUnmarked }
    return this.#store.leaseMany(keys, request).catch(() => keys.map(() => failed))
  }
}

const failed: Leased = { token: null, refusal: 'store_error' }
const evicting: Leased = { token: null, refusal: 'evicting' }
