import type { GuardedKey, Refusal, Store } from '../store/store.js'
import { newToken } from './token.js'

/** Leases of several rows that were asked for together. */
export interface Leased {
  readonly token: string
  /** For each row why it has not been leased, or null. */
  readonly refusals: readonly (Refusal | 'store_error' | null)[]
}

/** Leases of rows of one model: who has one may store the row that he loads after he got it. Nothing here rejects. */
export class Leases {
  readonly #store: Store
  readonly #leaseMs: number

  constructor(store: Store, leaseMs: number) {
    this.#store = store
    this.#leaseMs = leaseMs
  }

  /** For rows that are to be loaded. `onlyAbsent` where there was no value, for there may be one by now. */
  async take(keys: readonly GuardedKey[], onlyAbsent: boolean): Promise<Leased> {
    return this.#ask(keys, onlyAbsent, false)
  }

  /** For rows that have been loaded already, at most as long ago as a lease holds. */
  async takeForLoaded(keys: readonly GuardedKey[]): Promise<Leased> {
    return this.#ask(keys, true, true)
  }

  async release(keys: readonly GuardedKey[], token: string): Promise<void> {
    if (keys.length > 0) await this.#store.releaseMany(keys, token).catch(() => {})
  }

  async #ask(keys: readonly GuardedKey[], onlyAbsent: boolean, onlyUnsettled: boolean): Promise<Leased> {
    const token = newToken()
    if (keys.length === 0) return { token, refusals: [] }
    const request = { token, leaseMs: this.#leaseMs, onlyAbsent, onlyUnsettled }
    const refusals = await this.#store
      .leaseMany(keys, request)
      .catch(() => keys.map(() => 'store_error' as const))
    return { token, refusals }
  }
}
