import { LRUCache } from 'lru-cache'
import { InvalidOptionError } from '../errors.js'
import {
  changeRegister,
  fenceGuard,
  fencesOf,
  lastOf,
  leaseGuard,
  refusalOf,
  setFence,
  settledGuard,
} from './guards.js'
import { MemoryCatalogue } from './memory-catalogue.js'
import type {
  CatalogueAnswer,
  CatalogueRequest,
  ChangedRegister,
  Fill,
  GuardedKey,
  LeaseRequest,
  Refusal,
  RegisterChange,
  Store,
} from './store.js'

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
  /** Apart, since eviction must not take them. */
  readonly #registers = new Map<string, string>()
  readonly #catalogues = new Map<string, MemoryCatalogue>()

  constructor({ maxEntries = 10_000 }: MemoryStoreOptions = {}) {
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
      throw new InvalidOptionError('memory.maxEntries', maxEntries, 'a positive whole number')
    }
    this.#entries = new LRUCache({ max: maxEntries, ttl: 1 })
  }

  async connect(): Promise<void> {}

  async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    return keys.map((key) => this.#entries.get(key) ?? this.#registers.get(key) ?? null)
  }

  async getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    const values = await this.getMany(keys)
    return values.map((text) => (text === null ? null : Buffer.from(text)))
  }

  async leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<(Refusal | null)[]> {
    const { token, leaseMs, onlyAbsent, onlyUnsettled } = request
    return keys.map(({ key, guard }) => {
      const held = this.#entries.get(guard)
      if (held !== undefined && (held !== settledGuard || onlyUnsettled)) return refusalOf(held)
      if (onlyAbsent && this.#entries.has(key)) return 'filled'
      this.#entries.set(guard, leaseGuard(token), { ttl: leaseMs })
      return null
    })
  }

  async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    return fills.map(({ key, guard, token, value, ttlMs }) => {
      if (this.#entries.get(guard) !== leaseGuard(token)) return false
      this.#entries.set(key, value, { ttl: ttlMs })
      this.#entries.delete(guard)
      return true
    })
  }

  async releaseMany(keys: readonly GuardedKey[], token: string): Promise<void> {
    for (const { guard } of keys)
      if (this.#entries.get(guard) === leaseGuard(token)) this.#entries.delete(guard)
  }

  async fenceMany(keys: readonly GuardedKey[], token: string, fenceMs: number): Promise<void> {
    const nowMs = Date.now()
    for (const { key, guard } of keys) {
      const fences = fencesOf(this.#entries.get(guard), nowMs).set(token, nowMs + fenceMs)
      this.#entries.set(guard, fenceGuard(fences), { ttl: lastOf(fences) - nowMs })
      this.#entries.delete(key)
    }
  }

  async settleMany(
    keys: readonly GuardedKey[],
    token: string,
    holdMs: number,
    settledMs: number,
  ): Promise<void> {
    const nowMs = Date.now()
    for (const { key, guard } of keys) {
      const fences = fencesOf(this.#entries.get(guard), nowMs)
      setFence(fences, token, holdMs, nowMs)
      if (fences.size > 0) this.#entries.set(guard, fenceGuard(fences), { ttl: lastOf(fences) - nowMs })
      else this.#entries.set(guard, settledGuard, { ttl: settledMs })
      this.#entries.delete(key)
    }
  }

  async change(key: string, change: RegisterChange): Promise<ChangedRegister> {
    const nowMs = Date.now()
    const text = changeRegister(this.#registers.get(key), change, nowMs)
    this.#registers.set(key, text)
    return { text, nowMs }
  }

  async askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    let catalogue = this.#catalogues.get(key)
    if (!catalogue) this.#catalogues.set(key, (catalogue = new MemoryCatalogue(request.word)))
    this.#registers.set(`${key}:word`, catalogue.word)
    return catalogue.ask(request, Date.now())
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}
