import type { RegisterScope, Store } from '../../libs/model-cache/src/protocol/index.js'

/** Fences a model in its register, as a writer of unknown rows does. */
export class RegisterWriter {
  readonly #store: Store
  readonly #key: string
  readonly #markMs: number

  constructor(store: Store, key: string, markMs: number) {
    this.#store = store
    this.#key = key
    this.#markMs = markMs
  }

  async fence(token: string, fenceMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'fence', scope, token, fenceMs, markMs: this.#markMs })
  }

  async release(token: string, holdMs: number, scope: RegisterScope): Promise<void> {
    await this.#store.change(this.#key, { kind: 'release', scope, token, holdMs, markMs: this.#markMs })
  }
}
