import { LRUCache } from 'lru-cache'
import { invalidOptionError } from '../../configuration-errors.js'
import { endOf, guardText, newLease, readGuard, refusals, releaseFence, type Guard } from '../format/guard.js'
import { changeRegister } from '../format/register.js'
import type {
  CatalogueAnswer,
  CatalogueRequest,
  ChangedRegister,
  Fence,
  FenceRelease,
  Fill,
  GuardedKey,
  LeaseAnswer,
  LeaseRequest,
  Marker,
  RegisterChange,
  Store,
  CatalogueEntry,
} from './store.js'
import { randomId } from '../format/token.js'

export interface MemoryStoreOptions {
  /** Maximum number of entries; the least recently used ones are evicted. @default 10_000 */
  readonly maxEntries?: number
}

/**
 * A store in the memory of this process, for tests and for development without Valkey. Other processes do not share it, so an
 * invalidation reaches this process only.
 */
export class MemoryStore implements Store {
  readonly name = 'memory'
  readonly #entries: LRUCache<string, string | Buffer>
  /** Separate, so that values do not evict guards. */
  readonly #guards: LRUCache<string, { readonly text: string; readonly untilMs: number }>
  readonly #registers = new Map<string, string>()
  readonly #catalogues = new Map<string, MemoryCatalogue>()
  #leases = 0
  /** The latest expiry of a guard that was evicted. */
  #evictedUntilMs = 0

  constructor({ maxEntries = 10_000 }: MemoryStoreOptions = {}) {
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
      throw invalidOptionError('memory.maxEntries', maxEntries, 'a positive whole number')
    }
    // With `max` it would allocate room for all entries at once, which costs a test more than the rest of its cache.
    const limits = { maxSize: maxEntries, sizeCalculation: () => 1, ttl: 1 }
    this.#entries = new LRUCache(limits)
    this.#guards = new LRUCache({
      ...limits,
      dispose: ({ untilMs }, _, reason) => {
        if (reason === 'evict') this.#evictedUntilMs = Math.max(this.#evictedUntilMs, untilMs)
      },
    })
  }

  async connect(): Promise<void> {}

  async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    return keys.map((key) => this.#valueOf(key)?.toString() ?? null)
  }

  async getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    return keys.map((key) => {
      const value = this.#valueOf(key)
      return value === undefined ? null : Buffer.from(value as string)
    })
  }

  #valueOf(key: string): string | Buffer | undefined {
    return this.#entries.get(key) ?? this.#registers.get(key) ?? this.#guards.get(key)?.text
  }

  async leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<LeaseAnswer[]> {
    const { token, leaseMs, onlyAbsent, onlyUnmarked, untilMs = Infinity } = request
    const nowMs = Date.now()
    if (nowMs >= untilMs) return keys.map(() => refusals.late)
    const lease = newLease(token, leaseMs, nowMs * 1_000 + (this.#leases++ % 1_000))
    return keys.map(({ key, guard: name }) => {
      const guard = this.#guard(name, nowMs, leaseMs)
      if (guard.fences.size > 0) return refusals.fenced
      if (guard.lease !== '') return refusals.leased
      if (onlyUnmarked && guard.mark > nowMs) return refusals.fenced
      if (onlyAbsent && this.#entries.has(key)) return refusals.filled
      guard.lease = lease
      this.#keep(name, guard, nowMs, leaseMs)
      return { token: lease, refusal: null }
    })
  }

  async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    return fills.map(({ key, guard, token, value, ttlMs }) => {
      if (!this.#endLease(guard, token)) return false
      this.#entries.set(key, value, { ttl: ttlMs })
      return true
    })
  }

  async ensureMarkers(markers: readonly Marker[], untilMs = Infinity): Promise<(string | null)[]> {
    const nowMs = Date.now()
    return markers.map(({ key, guard: name, start, ttlMs }) => {
      const found = this.#entries.get(key)?.toString()
      if (found?.startsWith(start)) return found
      const { fences, lease } = this.#guard(name, nowMs, 0)
      if (fences.size > 0 || lease !== '' || nowMs >= untilMs) return null
      const marker = start + randomId()
      this.#entries.set(key, marker, { ttl: ttlMs })
      return marker
    })
  }

  async releaseLeases(keys: readonly GuardedKey[], token: string): Promise<void> {
    for (const { guard } of keys) this.#endLease(guard, token)
  }

  async fenceMany(keys: readonly GuardedKey[], { token, fenceMs, markMs }: Fence): Promise<boolean> {
    return this.#invalidate(keys, markMs, ({ fences }, nowMs) => fences.set(token, nowMs + fenceMs))
  }

  async releaseFences(
    keys: readonly GuardedKey[],
    { token, holdMs, markMs }: FenceRelease,
  ): Promise<boolean> {
    return this.#invalidate(keys, markMs, (guard, nowMs) => {
      guard.mark = Math.max(guard.mark, nowMs + markMs)
      releaseFence(guard.fences, token, holdMs, nowMs)
    })
  }

  async mayEvictGuards(): Promise<boolean> {
    return Date.now() < this.#evictedUntilMs
  }

  async change(key: string, change: RegisterChange): Promise<ChangedRegister> {
    const nowMs = Date.now()
    const text = changeRegister(this.#registers.get(key), change, nowMs)
    this.#registers.set(key, text)
    return { text, nowMs, isAnnounced: true }
  }

  async askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    let catalogue = this.#catalogues.get(key)
    if (!catalogue) this.#catalogues.set(key, (catalogue = new MemoryCatalogue()))
    this.#registers.set(`${key}:epoch`, catalogue.epoch)
    return catalogue.ask(request, Date.now())
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  #guard(name: string, nowMs: number, markMs: number): Guard {
    return readGuard(this.#guards.get(name)?.text, nowMs, markMs)
  }

  #keep(name: string, guard: Guard, nowMs: number, markMs: number): void {
    const untilMs = endOf(guard, markMs)
    if (untilMs > nowMs) this.#guards.set(name, { text: guardText(guard), untilMs }, { ttl: untilMs - nowMs })
    else this.#guards.delete(name)
  }

  /** Removes values, ends their leases, and changes their guards. */
  #invalidate(
    keys: readonly GuardedKey[],
    markMs: number,
    change: (guard: Guard, nowMs: number) => void,
  ): boolean {
    const nowMs = Date.now()
    for (const { key, guard: name } of keys) {
      const guard = this.#guard(name, nowMs, markMs)
      guard.lease = ''
      change(guard, nowMs)
      this.#keep(name, guard, nowMs, markMs)
      this.#entries.delete(key)
    }
    return true
  }

  /** @returns whether the guard held the lease */
  #endLease(name: string, lease: string): boolean {
    const nowMs = Date.now()
    const guard = this.#guard(name, nowMs, 0)
    if (guard.lease !== lease) return false
    guard.lease = ''
    this.#keep(name, guard, nowMs, 0)
    return true
  }
}

/** The catalogue of a {@link MemoryStore}, which is never lost. Does what lua/catalogue.lua does. */
class MemoryCatalogue {
  readonly epoch = randomId()
  readonly #entries = new Map<string, CatalogueEntry>()
  #changes = 0
  #isWritten = false

  ask({ known, isWriter, put, remove = [] }: CatalogueRequest, nowMs: number): CatalogueAnswer {
    for (const { field, putMs } of remove) {
      if (this.#entries.get(field)?.putMs !== putMs) continue
      this.#entries.delete(field)
      this.#changes++
    }
    for (const [field, text] of put ?? []) {
      const existing = this.#entries.get(field)
      if (!existing) this.#changes++
      const addedMs = existing?.addedMs ?? (this.#isWritten ? nowMs : 0)
      this.#entries.set(field, { field, text, addedMs, putMs: Math.max(nowMs, (existing?.putMs ?? 0) + 1) })
    }
    if (isWriter && (known === '' || known.startsWith(`${this.epoch}.`))) this.#isWritten = true
    const version = `${this.epoch}.${this.#changes}`
    const isKnown = version === known && remove.length === 0
    const entries = isKnown ? undefined : [...this.#entries.values()]
    return { epoch: this.epoch, version, nowMs, entries }
  }
}
