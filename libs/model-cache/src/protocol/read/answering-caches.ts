import type { QueryResults } from '../../source/query-results.js'
import type { AnsweringCache, ReadCaches } from '../../source/read-caches.js'

/** The caches of this process that can answer queries of Prisma. */
export class AnsweringCaches implements ReadCaches {
  readonly #byName = new Map<string, AnsweringCache>()
  readonly #isInTransaction: () => boolean
  /** Those of the client of the caches; undefined until they are created, and after their end. */
  results: QueryResults | undefined
  #version = 0

  constructor(isInTransaction: () => boolean) {
    this.#isInTransaction = isInTransaction
  }

  /** Grows with each cache that is added or removed. */
  get version(): number {
    return this.#version
  }

  /** Whether the caller runs in a transaction. */
  get isInTransaction(): boolean {
    return this.#isInTransaction()
  }

  all(): Iterable<AnsweringCache> {
    return this.#byName.values()
  }

  /** Adds a cache, in place of an earlier one of its name. */
  add(cache: AnsweringCache): void {
    this.#byName.set(cache.name, cache)
    this.#version++
  }

  /** Removes a cache that has ended, unless another one has taken its place. */
  remove(cache: AnsweringCache): void {
    if (this.#byName.get(cache.name) !== cache) return
    this.#byName.delete(cache.name)
    this.#version++
  }
}
