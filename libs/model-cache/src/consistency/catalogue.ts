import type { CatalogueEntry, Store } from '../store/store.js'
import { cacheOf, entryOf, type CacheDescription, type DescribedCache } from './cache-description.js'
import { catalogueKey } from './key-space.js'

/**
 * Which caches there are, in all processes that share a namespace of a store: what writers act on, whatever caches their own process has.
 *
 * A cache is described here before it stores a row, and a writer asks with each fence whether there are more by now: so a writer misses
 * only caches that were described after it asked, and these store nothing until its write is over ({@link storableFromMs}). What
 * is stored carries the catalogue's word, which is another one once entries have been lost.
 */
export class Catalogue {
  readonly #store: Store
  readonly #key: string
  /** The entries of this process's caches: text by field. */
  readonly #own = new Map<string, string>()
  #entries: ReadonlyMap<string, CatalogueEntry> = new Map()
  #caches: readonly DescribedCache[] = []
  #word: string | null = null
  #version = ''
  /** How far the store's clock is ahead of `performance.now()`, in milliseconds: at least, as an answer takes some time to arrive. */
  #aheadMs = 0
  #asking: Promise<void> | undefined
  #reading: Promise<string | null> | undefined

  constructor(store: Store, namespace: string) {
    this.#store = store
    this.#key = catalogueKey(namespace)
  }

  /** Whether it has been read. */
  get isKnown(): boolean {
    return this.#word !== null
  }

  /** All caches, as of the last answer of the store. The same list until there are others. */
  get caches(): readonly DescribedCache[] {
    return this.#caches
  }

  /** The word under which what is stored counts, as of the last answer of the store. */
  get word(): string | null {
    return this.#word
  }

  /** The fingerprints under which a cache is described; see {@link DescribedCache.layout}. */
  fingerprintsOf(layout: string): readonly string[] {
    return this.#caches.filter((cache) => cache.layout === layout).map(({ fingerprint }) => fingerprint)
  }

  /** Has a cache of this process described from now on. @returns the field of its entry */
  add(description: CacheDescription, fingerprint: string): string {
    const { field, text } = entryOf(description, fingerprint)
    this.#own.set(field, text)
    return field
  }

  /**
   * Asks for what is new, as a writer: what is described after this does not count on being known by it. All who ask in one turn are
   * answered together.
   *
   * @throws StoreError
   */
  ask(): Promise<void> {
    this.#asking ??= Promise.resolve().then(() => {
      this.#asking = undefined
      return this.#ask()
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    const word = this.#word
    const missing = [...this.#own].filter(([field]) => !this.#entries.has(field))
    await this.#send({ isWriter: true, put: new Map(missing) })
    // A new one, after entries have been lost: it has to have those of this process before it has a writer.
    if (word !== null && word !== this.#word) await this.#ask()
  }

  /** Whether an entry is there, as of the last answer of the store. */
  has(field: string): boolean {
    return this.#entries.has(field)
  }

  /**
   * Describes the caches of this process, and asks for what is new.
   *
   * @throws StoreError
   */
  describe(): Promise<void> {
    return this.#send({ isWriter: false, put: this.#own })
  }

  /**
   * Removes entries of a cache whose fingerprints nobody uses, unless somebody has put them again since they were read.
   *
   * @param used the fingerprints of its register, which was read after the entries
   * @throws StoreError
   */
  async removeUnused(
    name: string,
    used: ReadonlySet<string>,
    entries: Iterable<CatalogueEntry>,
  ): Promise<void> {
    const remove = [...entries].filter((entry) => {
      const cache = cacheOf(entry)
      return cache.name === name && !used.has(cache.fingerprint)
    })
    if (remove.length > 0) await this.#send({ isWriter: false, remove })
  }

  /** The entries, as of the last answer of the store. */
  get entries(): Iterable<CatalogueEntry> {
    return this.#entries.values()
  }

  /**
   * From when on a cache may store rows, by `performance.now()`: when each write is over that began before the cache was described;
   * undefined while it is not.
   *
   * @param fenceMs how long a write may take
   */
  storableFromMs(field: string, fenceMs: number): number | undefined {
    const entry = this.#entries.get(field)
    if (!entry) return undefined
    return entry.addedMs === 0 ? 0 : entry.addedMs + fenceMs - this.#aheadMs
  }

  /**
   * The word as the store has it now; null where it is lost. All who read in one turn are answered together.
   *
   * @throws StoreError
   */
  readWord(): Promise<string | null> {
    if (!this.#reading) {
      this.#reading = this.#store.getMany([`${this.#key}:word`]).then(([word = null]) => word)
      queueMicrotask(() => (this.#reading = undefined))
    }
    return this.#reading
  }

  async #send(change: {
    readonly isWriter: boolean
    readonly put?: ReadonlyMap<string, string>
    readonly remove?: readonly CatalogueEntry[]
  }): Promise<void> {
    const answer = await this.#store.askCatalogue(this.#key, {
      known: this.#version,
      ...change,
    })
    this.#word = answer.word
    this.#aheadMs = answer.nowMs - performance.now()
    if (!answer.entries) return
    this.#version = answer.version
    this.#entries = new Map(answer.entries.map((entry) => [entry.field, entry]))
    this.#caches = answer.entries.map(cacheOf)
  }
}
