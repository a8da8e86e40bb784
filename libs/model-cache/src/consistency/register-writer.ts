import type { RegisterScope, Store } from '../store/store.js'
import { randomWord } from './token.js'

/** Fences models in their registers, for writes to rows that are not known. */
export class RegisterWriter {
  readonly #store: Store
  readonly #key: string

  constructor(store: Store, key: string) {
    this.#store = store
    this.#key = key
  }

  /**
   * Fences the model before a write, until {@link settle}, or until `fenceMs` are over. Meanwhile nothing of the scope counts or is
   * stored: rows and absences for `'all'`, absences alone for `'membership'`.
   *
   * @throws StoreError
   */
  async fence(token: string, fenceMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'fence', scope, token, fenceMs, word: randomWord() })
  }

  /**
   * Invalidates what has been stored of the scope until now, and releases the fence.
   *
   * @param token of the fence; `''` for none
   * @param holdMs how long the scope stays fenced all the same
   * @throws StoreError
   */
  async settle(token: string, holdMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'settle', scope, token, holdMs, word: randomWord() })
  }
}
