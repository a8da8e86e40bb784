import type { RegisterScope, Store } from '../backend/store.js'

/** Fences a model in its register, for writes to unknown rows. */
export class RegisterWriter {
  readonly #store: Store
  readonly #key: string
  readonly #leaseMs: number
  readonly #replicas: number

  /** @param consistency `leaseMs` is how long the register remembers a write to all rows */
  constructor(
    store: Store,
    key: string,
    consistency: { readonly leaseMs: number; readonly replicas: number },
  ) {
    this.#store = store
    this.#key = key
    this.#leaseMs = consistency.leaseMs
    this.#replicas = consistency.replicas
  }

  /**
   * Fences the model before a write, until {@link release} or for `fenceMs`. Meanwhile nothing of the scope counts or is
   * stored: rows and negative entries for `'all'`, negative entries alone for `'existence'`.
   *
   * @throws StoreError
   */
  async fence(token: string, fenceMs: number, scope: RegisterScope): Promise<void> {
    const change = { kind: 'fence', scope, token, fenceMs, markMs: this.#leaseMs } as const
    await this.#store.change(this.#key, { ...change, replicas: this.#replicas })
  }

  /**
   * Invalidates everything of the scope that was stored until now, and releases the fence.
   *
   * @param token of the fence; `''` for none
   * @param holdMs how long the scope stays fenced nevertheless
   * @throws StoreError
   */
  async release(token: string, holdMs: number, scope: RegisterScope): Promise<void> {
    const change = { kind: 'release', scope, token, holdMs, markMs: this.#leaseMs } as const
    const replicas = replicasOfRelease(this.#replicas, token, holdMs)
    await this.#store.change(this.#key, { ...change, replicas })
  }
}

/**
 * How many replicas must have acknowledged a release. A replica that lacks the release of a fence has that fence until its deadline, which
 * does as well.
 */
export function replicasOfRelease(replicas: number, token: string, holdMs: number): number {
  return token === '' || holdMs > 0 ? replicas : 0
}
