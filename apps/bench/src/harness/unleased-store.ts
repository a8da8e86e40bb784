import { type ValkeyStoreOptions } from 'model-cache'
import { ValkeyStore, type Fill, type GuardedKey, type LeaseAnswer } from 'model-cache/advanced'

/** A store without leases: it grants every lease by itself, and writes with plain SET. */
export class UnleasedStore extends ValkeyStore {
  readonly #setMany: (fills: readonly Fill[]) => Promise<unknown>

  constructor(options: ValkeyStoreOptions, setMany: (fills: readonly Fill[]) => Promise<unknown>) {
    super(options)
    this.#setMany = setMany
  }

  override async leaseMany(keys: readonly GuardedKey[]): Promise<LeaseAnswer[]> {
    return keys.map(() => ({ token: 'given', refusal: null }))
  }

  override async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    await this.#setMany(fills)
    return fills.map(() => true)
  }
}
