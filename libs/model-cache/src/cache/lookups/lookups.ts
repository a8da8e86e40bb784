import { unknownLookupError } from '../../errors.js'
import type { HotStatus } from '../inspection/hot-status.js'
import type { EntryComparison } from '../inspection/compare-entry.js'
import type { Examination, LocalExplanation } from '../inspection/explanation.js'
import type { BoundLookup } from '../policy/lookup-options.js'

/** One lookup of a cache: finds rows by a key other than their id. */
export interface Lookup<Row> {
  readonly name: string
  readonly kind: 'unique' | 'list'
  /** Returns the rows of a key: of a unique key one at most. Every caller gets an array of its own. */
  find(key: unknown): Promise<Row[]>
  findMany(keys: readonly unknown[]): Promise<Row[][]>
  invalidate(keys: readonly unknown[]): Promise<void>
  /** Explains an entry, and shows the ids that it names. @throws InvalidIdError, StoreError */
  examine(key: unknown): Promise<Examination<{ readonly ids: readonly unknown[] }>>
  /** Compares an entry with the source. @throws InvalidIdError, StoreError, any error of the source */
  compare(key: unknown): Promise<EntryComparison>
  /** The key of an entry in the store. @throws InvalidIdError */
  storeKeyOf(key: unknown): string
  /** @throws InvalidIdError */
  explainLocally(key: unknown): LocalExplanation
  /** The entries that L1 keeps because they are read often; undefined without `l1.hot`. */
  readonly hot: HotStatus | undefined
  /** Whether no read is waiting for the end of its tick. */
  readonly isEmpty: boolean
  /** Ends its audits. */
  stop(): void
}

/** A lookup, and what its definition says. */
export interface DefinedLookup<Row> {
  readonly lookup: Lookup<Row>
  readonly bound: BoundLookup
}

/** The lookups of a cache, by name. */
export class Lookups<Row> {
  /** In the order of the definition. */
  readonly all: readonly DefinedLookup<Row>[]
  readonly #cache: string
  readonly #byName: ReadonlyMap<string, Lookup<Row>>

  constructor(cache: string, all: readonly DefinedLookup<Row>[]) {
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
  get(name: string, kind?: Lookup<Row>['kind']): Lookup<Row> {
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
