import { unknownLookupError } from '../../errors.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { CachedLookup } from './cached-lookup.js'

/** The lookups of a cache, by name. */
export class Lookups<Row, Id> {
  /** All lookups, in the order of the definition. */
  readonly all: readonly CachedLookup<Row, Id>[]
  readonly #cache: string
  readonly #byName: ReadonlyMap<string, CachedLookup<Row, Id>>

  constructor(cache: string, all: readonly CachedLookup<Row, Id>[]) {
    this.all = all
    this.#cache = cache
    this.#byName = new Map(all.map((lookup) => [lookup.bound.name, lookup]))
  }

  get isEmpty(): boolean {
    return this.all.every(({ isEmpty }) => isEmpty)
  }

  /** Ends the audits of all. */
  stop(): void {
    for (const lookup of this.all) lookup.stop()
  }

  /** @throws ModelCacheError (`E_UNKNOWN_LOOKUP`) */
  get(name: string, kind?: BoundLookup['kind']): CachedLookup<Row, Id> {
    const isOfKind = ({ bound }: CachedLookup<Row, Id>): boolean => kind === undefined || bound.kind === kind
    const lookup = this.#byName.get(name)
    if (lookup && isOfKind(lookup)) return lookup
    const known = this.all.filter(isOfKind).map(({ bound }) => bound.name)
    throw unknownLookupError(this.#cache, kind, name, known)
  }
}
