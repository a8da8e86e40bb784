import { unknownLookupError } from '../../errors.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { CachedLookup } from './cached-lookup.js'

/** A lookup, and what its definition says. */
export interface DefinedLookup<Row, Id> {
  readonly lookup: CachedLookup<Row, Id>
  readonly bound: BoundLookup
}

/** The lookups of a cache, by name. */
export class Lookups<Row, Id> {
  /** In the order of the definition. */
  readonly all: readonly DefinedLookup<Row, Id>[]
  readonly #cache: string
  readonly #byName: ReadonlyMap<string, CachedLookup<Row, Id>>

  constructor(cache: string, all: readonly DefinedLookup<Row, Id>[]) {
    this.all = all
    this.#cache = cache
    this.#byName = new Map(all.map(({ lookup }) => [lookup.name, lookup]))
  }

  get isEmpty(): boolean {
    for (const lookup of this.#byName.values()) if (!lookup.isEmpty) return false
    return true
  }

  /** Ends the audits of all. */
  stop(): void {
    for (const lookup of this.#byName.values()) lookup.stop()
  }

  /** @throws ModelCacheError (`E_UNKNOWN_LOOKUP`) */
  get(name: string, kind?: BoundLookup['kind']): CachedLookup<Row, Id> {
    const lookup = this.#byName.get(name)
    if (lookup && (kind === undefined || lookup.kind === kind)) return lookup
    const known = [...this.#byName.values()].filter((other) => kind === undefined || other.kind === kind)
    throw unknownLookupError(
      this.#cache,
      kind,
      name,
      known.map((other) => other.name),
    )
  }
}
