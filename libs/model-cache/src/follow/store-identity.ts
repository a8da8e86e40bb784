import { guardOf } from '../consistency/key-space.js'
import { newToken, randomId } from '../consistency/token.js'
import { FollowError } from '../errors.js'
import type { Store } from '../store/store.js'

/** As good as forever: a store that forgets it is another one. */
const lifeMs = 10 * 365 * 24 * 60 * 60 * 1_000
const leaseMs = 2_000

/**
 * Tells the followers of one store from those of others: an id that the first of them chooses, and that the store keeps. It is another one
 * after the store has lost what it held.
 */
export class StoreIdentity {
  readonly #store: Pick<Store, 'fillMany' | 'getMany' | 'leaseMany'>
  readonly #key: string

  constructor(store: Pick<Store, 'fillMany' | 'getMany' | 'leaseMany'>, namespace: string) {
    this.#store = store
    this.#key = `${namespace}:{follow}:store`
  }

  /** Returns the id; null if the store has none. @throws StoreError */
  async read(): Promise<string | null> {
    const [id = null] = await this.#store.getMany([this.#key])
    return id
  }

  /** Returns the id, and chooses it if the store has none. @throws StoreError; FollowError while another process chooses it */
  async establish(): Promise<string> {
    const id = (await this.read()) ?? (await this.#choose(), await this.read())
    if (id === null)
      throw new FollowError('the store does not keep the id by which its followers know each other.')
    return id
  }

  /** Of several processes, the one with the lease. */
  async #choose(): Promise<void> {
    const key = { key: this.#key, guard: guardOf(this.#key) }
    const request = { token: newToken(), leaseMs, onlyAbsent: true, onlyUnmarked: false }
    const [lease] = await this.#store.leaseMany([key], request)
    if (lease && lease.token !== null)
      await this.#store.fillMany([{ ...key, token: lease.token, value: randomId(), ttlMs: lifeMs }])
  }
}
