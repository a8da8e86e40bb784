import type { RegisterScope, Store } from '../store/store.js'

/** Fences models in their registers, for writes to rows that are not known. */
export class RegisterWriter {
  readonly #store: Store
  readonly #key: string
  readonly #leaseMs: number

  /** @param leaseMs for which a write to all rows is remembered */
  constructor(store: Store, key: string, leaseMs: number) {
    this.#store = store
    this.#key = key
    this.#leaseMs = leaseMs
  }

  /**
   * Fences the model before a write, until {@link release}, or until `fenceMs` are over. Meanwhile nothing of the scope counts or is
   * stored: rows and absences for `'all'`, absences alone for `'membership'`.
   *
   * @throws StoreError
   */
  async fence(token: string, fenceMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'fence', scope, token, fenceMs, markMs: this.#leaseMs })
  }

  /**
   * Invalidates what has been stored of the scope until now, and releases the fence.
   *
   * @param token of the fence; `''` for none
   * @param holdMs how long the scope stays fenced all the same
   * @throws StoreError
   */
  async release(token: string, holdMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'release', scope, token, holdMs, markMs: this.#leaseMs })
  }
}
