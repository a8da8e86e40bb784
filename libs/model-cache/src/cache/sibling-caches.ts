import { isDeepStrictEqual } from 'node:util'
import type { CacheDescription, CacheListing, NamespaceCaches, RowFences } from '../protocol/index.js'

/** A cache as processes of another release have it: with other lookups or tables, or in another form at rest. */
export interface Sibling {
  readonly fences: RowFences
  /** Whether its rows or entries have the same ids. Otherwise all of them have to be invalidated. */
  readonly hasSameIds: boolean
}

/** The siblings of a cache, for what is invalidated by hand. */
export class Siblings {
  readonly #namespaceCaches: NamespaceCaches
  readonly #listing: CacheListing
  readonly #lookup: string | undefined

  /** @param lookup whose entries are meant; undefined for rows */
  constructor(namespaceCaches: NamespaceCaches, listing: CacheListing, lookup?: string) {
    this.#namespaceCaches = namespaceCaches
    this.#listing = listing
    this.#lookup = lookup
  }

  /** Those that the catalogue lists, as last read. */
  get all(): readonly Sibling[] {
    const { description, layout } = this.#listing
    const { name } = description
    const ids = idsOf(description, this.#lookup)
    return this.#namespaceCaches.all
      .filter((cache) => cache.layout !== layout && cache.layout.startsWith(`${name}:`))
      .map(({ description: other, fences }) => ({
        fences,
        hasSameIds: other !== undefined && isDeepStrictEqual(idsOf(other, this.#lookup), ids),
      }))
  }

  /** Reads the catalogue. If it does not answer, what it does not list yet is emptied as soon as it does. Never rejects. */
  async catchUp(): Promise<void> {
    const namespaceCaches = this.#namespaceCaches
    // Which rejects in strict mode.
    const unanswered = await namespaceCaches.ask().catch(() => namespaceCaches)
    const models = new Set([this.#listing.description.model])
    unanswered?.catchUp({ known: new Set(namespaceCaches.all), models, end: 'known' })
  }
}

function idsOf({ id, lookups }: CacheDescription, lookup: string | undefined): unknown {
  if (lookup === undefined) return id
  return lookups.find(({ name }) => name === lookup)?.key
}
