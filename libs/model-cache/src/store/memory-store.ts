import { LRUCache } from 'lru-cache'
import { InvalidOptionError } from '../errors.js'
import type { Store, StoreEntry } from './store.js'

export interface MemoryStoreOptions {
  /** The most entries it holds; the least recently used go first. @default 10_000 */
  readonly maxEntries?: number
}

/**
 * A store in the memory of this process, for tests and for development without a Valkey. Other processes do not see
 * it, so with more than one an invalidation reaches only the one that made it.
 */
export class MemoryStore implements Store {
  readonly name = 'memory'
  readonly #entries: LRUCache<string, string>
  /** Keys without a ttl stand apart: eviction must not take them. */
  readonly #permanent = new Map<string, string>()

  constructor({ maxEntries = 10_000 }: MemoryStoreOptions = {}) {
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
      throw new InvalidOptionError('memory.maxEntries', maxEntries, 'a positive whole number')
    }
    this.#entries = new LRUCache({ max: maxEntries, ttl: 1 })
  }

  async connect(): Promise<void> {}

  async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    return keys.map((key) => this.#permanent.get(key) ?? this.#entries.get(key) ?? null)
  }

  async setMany(entries: readonly StoreEntry[]): Promise<void> {
    for (const { key, value, ttlMs } of entries) {
      this.#permanent.delete(key)
      this.#entries.set(key, value, { ttl: ttlMs })
    }
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#permanent.delete(key)
      this.#entries.delete(key)
    }
  }

  async set(key: string, value: string): Promise<void> {
    this.#entries.delete(key)
    this.#permanent.set(key, value)
  }

  async setIfAbsent(key: string, value: string): Promise<string> {
    const held = this.#permanent.get(key) ?? this.#entries.get(key)
    if (held !== undefined) return held
    this.#permanent.set(key, value)
    return value
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}
