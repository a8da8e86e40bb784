import type { Redis } from 'ioredis'
import { ValkeyStore, type Fill, type GuardedKey, type LeaseAnswer } from 'model-cache/advanced'

/** A store without leases: it grants every lease by itself, and writes with plain SET. */
export class UnleasedStore extends ValkeyStore {
  readonly #redis: Redis

  constructor(url: string, redis: Redis) {
    super({ url, deadlineMs: 5_000 })
    this.#redis = redis
  }

  override async leaseMany(keys: readonly GuardedKey[]): Promise<LeaseAnswer[]> {
    return keys.map(() => ({ token: 'given', refusal: null }))
  }

  override async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    const pipeline = this.#redis.pipeline()
    for (const { key, value, ttlMs } of fills) pipeline.set(key, value, 'PX', ttlMs)
    await pipeline.exec()
    return fills.map(() => true)
  }
}
