import type { AnsweringCache, CachedRow } from '../../read-caches.js'
import type { Projection } from './projection.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import type { ReadableList } from './readable-list.js'
import type { RequestedIds } from './requested-ids.js'
import type { RowSelection } from './row-selection.js'

/** How caches answer a query. */
export type ReadPlan = KeyPlan | ListPlan

/** What becomes of the rows that a cache finds. */
export interface RowPlan {
  readonly readable: ReadableCache
  readonly selection: RowSelection
  /** Turns a row of the cache into one of the result, without relations. */
  readonly project: (row: CachedRow) => CachedRow
  readonly projection: Projection
  /** The rows of relations, in the order of the projection. */
  readonly related: readonly RelatedPlan[]
}

/** Reads rows by their ids, or by keys of a unique lookup. */
export interface KeyPlan extends RowPlan {
  readonly key: ReadableKey
  /** Each once. */
  readonly ids: RequestedIds
}

/** Reads all rows of lists. */
export interface ListPlan extends RowPlan {
  readonly list: ReadableList
  readonly listKeys: readonly CachedRow[]
}

/** Reads what belongs to each of some rows: rows of a relation, or how many there are. */
export type RelatedPlan = RelatedRow | RelatedRows | RelatedCounts

export interface Related extends RowPlan {
  /** Returns the key of the other side's rows in a row of this side; null if it has none, and undefined if only the database knows. */
  keyOf(row: CachedRow): unknown
}

/** One row at most. */
export interface RelatedRow extends Related {
  readonly key: ReadableKey
  /** Whether there is a row for each key. */
  readonly isCertain: boolean
}

/** The rows of a list. */
export interface RelatedRows extends Related {
  readonly list: ReadableList
  /** Whether only their number is the result. */
  readonly isCount: boolean
}

/** `_count`: how many rows relations have, by name. */
export interface RelatedCounts {
  readonly counts: ReadonlyMap<string, RelatedRows>
}

/** The caches that a plan reads. */
export function cachesIn(plan: RowPlan): readonly AnsweringCache[] {
  if (plan.related.length === 0) return [plan.readable.cache]
  const related = plan.related.flatMap((each) => ('counts' in each ? [...each.counts.values()] : [each]))
  return [plan.readable.cache, ...related.flatMap(cachesIn)]
}
