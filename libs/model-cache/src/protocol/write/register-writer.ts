import type { Announcement, RegisterScope, Store } from '../backend/store.js'

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
   * @returns false if the store does not permit to publish the announcement
   * @throws StoreError
   */
  async fence(
    token: string,
    fenceMs: number,
    scope: RegisterScope,
    announcement?: Announcement,
  ): Promise<boolean> {
    const change = { kind: 'fence', scope, token, fenceMs, markMs: this.#leaseMs, announcement } as const
    const { isAnnounced } = await this.#store.change(this.#key, { ...change, replicas: this.#replicas })
    return isAnnounced
  }

  /**
   * Invalidates everything of the scope that was stored until now, and releases the fence.
   *
   * @param token of the fence; `''` for none
   * @param holdMs how long the scope stays fenced nevertheless
   * @returns as {@link fence}
   * @throws StoreError
   */
  async release(
    token: string,
    holdMs: number,
    scope: RegisterScope,
    announcement?: Announcement,
  ): Promise<boolean> {
    const change = { kind: 'release', scope, token, holdMs, markMs: this.#leaseMs, announcement } as const
    const replicas = replicasOfRelease(this.#replicas, token, holdMs)
    const { isAnnounced } = await this.#store.change(this.#key, { ...change, replicas })
    return isAnnounced
  }
}

/**
 * How many replicas must have acknowledged a release. A replica that lacks the release of a fence has that fence until its deadline, which
 * does as well.
 */
export function replicasOfRelease(replicas: number, token: string, holdMs: number): number {
  return token === '' || holdMs > 0 ? replicas : 0
}
