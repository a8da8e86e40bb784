import { affectingTables, type CacheDescription, layoutOf } from '../registry/cache-description.js'
import { listingOf } from '../format/register.js'
import type { NamespaceCaches } from './namespace-caches.js'
import type { WrittenCache } from './affected-cache.js'

/** What writers of this process need of one of its caches, besides the description. */
export type ListedCache = Pick<WrittenCache, 'onAllWritten' | 'rowIdOf' | 'fences'>

/** A cache of this process as writers know it: those of this process at once, those of others once the catalogue lists it. */
export class CacheListing {
  readonly #namespaceCaches: NamespaceCaches
  readonly #fingerprint: string
  #listed: {
    readonly description: CacheDescription
    readonly layout: string
    readonly entry: string
    readonly listing: string
  }
  #cache: ListedCache | undefined
  #written: WrittenCache | undefined

  constructor(namespaceCaches: NamespaceCaches, description: CacheDescription, fingerprint: string) {
    this.#namespaceCaches = namespaceCaches
    this.#fingerprint = fingerprint
    this.#listed = this.#listedAs(description)
  }

  get description(): CacheDescription {
    return this.#listed.description
  }

  /** See {@link WrittenCache.layout}. */
  get layout(): string {
    return this.#listed.layout
  }

  /** The field of its entry in the catalogue. */
  get entry(): string {
    return this.#listed.entry
  }

  /** How the register lists it. */
  get listing(): string {
    return this.#listed.listing
  }

  /** Has the writes of this process affect the cache. */
  open(cache: ListedCache): void {
    this.#cache = cache
    this.#list()
  }

  /** Describes the cache otherwise, before it has stored anything. */
  describe(description: CacheDescription): void {
    if (layoutOf(description) === this.layout) return
    this.#remove()
    this.#listed = this.#listedAs(description)
    this.#list()
  }

  #listedAs(description: CacheDescription) {
    const entry = this.#namespaceCaches.catalogue.add(description, this.#fingerprint)
    return { description, layout: layoutOf(description), entry, listing: listingOf(entry) }
  }

  /** Ends with the cache. Writes affect its rows in the store as those of a cache of another process. */
  close(): void {
    this.#remove()
    this.#cache = undefined
  }

  #list(): void {
    if (!this.#cache) return
    const { description, layout } = this
    this.#written = { ...this.#cache, affectedBy: affectingTables(description), description, layout }
    this.#namespaceCaches.add(this.#written)
  }

  #remove(): void {
    if (this.#written) this.#namespaceCaches.remove(this.#written, this.entry)
    this.#written = undefined
  }
}
