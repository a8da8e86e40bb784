import type { RegisterScope, Store } from '../store/store.js'

/** Fences a model in its register, for writes to unknown rows. */
export class RegisterWriter {
  readonly #store: Store
  readonly #key: string
  readonly #leaseMs: number

  /** @param leaseMs how long the register remembers a write to all rows */
  constructor(store: Store, key: string, leaseMs: number) {
    this.#store = store
    this.#key = key
    this.#leaseMs = leaseMs
  }

  /**
   * Fences the model before a write, until {@link release} or for `fenceMs`. Meanwhile nothing of the scope counts or is
   * stored: rows and negative entries for `'all'`, negative entries alone for `'membership'`.
   *
   * @throws StoreError
   */
  async fence(token: string, fenceMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'fence', scope, token, fenceMs, markMs: this.#leaseMs })
  }

  /**
   * Invalidates everything of the scope that was stored until now, and releases the fence.
   *
   * @param token of the fence; `''` for none
   * @param holdMs how long the scope stays fenced nevertheless
   * @throws StoreError
   */
  async release(token: string, holdMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'release', scope, token, holdMs, markMs: this.#leaseMs })
  }
}
