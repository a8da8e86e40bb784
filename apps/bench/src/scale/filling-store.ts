import type { Cluster, Redis } from 'ioredis'
import type { ValkeyStoreOptions } from 'model-cache'
import { ValkeyStore, type Fill, type GuardedKey, type LeaseAnswer } from 'model-cache/advanced'

/** A store that is quick to fill: it gives leases without asking, and writes what it is given with nothing but SET. */
export class FillingStore extends ValkeyStore {
  readonly #client: Redis | Cluster
  #values = 0
  #bytes = 0

  /** @param client with auto-pipelining */
  constructor(options: ValkeyStoreOptions, client: Redis | Cluster) {
    super(options)
    this.#client = client
  }

  /** Mean length of what has been written. */
  get bytesPerValue(): number {
    return this.#bytes / this.#values
  }

  override async leaseMany(keys: readonly GuardedKey[]): Promise<LeaseAnswer[]> {
    return keys.map(() => ({ token: 'given', refusal: null }))
  }

  override async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    this.#values += fills.length
    for (const { value } of fills) this.#bytes += Buffer.byteLength(value)
    await Promise.all(fills.map(({ key, value, ttlMs }) => this.#client.set(key, value, 'PX', ttlMs)))
    return fills.map(() => true)
  }
}
