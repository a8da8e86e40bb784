import type { AnsweringCache, CachedRow } from '../../read-caches.js'
import type { ListCosts } from './list-costs.js'
import type { Projection, ResultForm } from './projection.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import type { ReadableList } from './readable-list.js'
import { isCertain, type RowSelection } from './row-selection.js'
import type { RowTest } from './row-test.js'

/** How caches answer a query. */
export type ReadPlan = KeyPlan | ListPlan | LinkedPlan

/** What becomes of the rows that a cache finds. */
export interface RowPlan {
  readonly readable: ReadableCache
  readonly selection: RowSelection
  readonly form: ResultForm
  readonly projection: Projection
  /** The rows of relations, in the order of the projection. */
  readonly related: readonly RelatedPlan[]
}

/** Reads rows by their ids, or by keys of a unique lookup. */
export interface KeyPlan extends RowPlan {
  readonly key: ReadableKey
  /** Each once. */
  readonly ids: readonly unknown[]
}

/** Reads all rows of lists. */
export interface ListPlan extends RowPlan {
  readonly list: ReadableList
  readonly listKeys: readonly CachedRow[]
}

/** Reads rows to which those of another plan lead. */
export interface LinkedPlan extends RowPlan {
  readonly origin: ReadPlan
  readonly link: RelatedKey | RelatedList
  /** The costs of the rows that lead to those of the result; undefined if there are few, or costs do not matter. */
  readonly costs: ListCosts | undefined
}

/** Reads what belongs to each of some rows: rows of a relation, or how many there are. */
export type RelatedPlan = RelatedRow | RelatedRows | RelatedCounts

/** How rows lead to those of another cache. */
export interface RelatedTo {
  /** The fields of this side that {@link keyOf} reads. */
  readonly from: readonly string[]
  /** Returns the key of the other side's rows in a row of this side; null if it has none, and undefined if only the database knows. */
  keyOf(row: CachedRow): unknown
}

/** To one row at most. */
export interface RelatedKey extends RelatedTo {
  readonly key: ReadableKey
  /** Whether there is a row for each key. */
  readonly isCertain: boolean
}

/** To the rows of a list. */
export interface RelatedList extends RelatedTo {
  readonly list: ReadableList
  readonly selection: RowSelection
}

/** To the one row of a relation with many that conditions leave: they have values for all other fields of a unique key. */
export interface RelatedOne extends RelatedKey {
  readonly selection: RowSelection
}

export interface RelatedRow extends RelatedKey, RowPlan {}

export type RelatedRows = RowPlan &
  (RelatedList | RelatedOne) & {
    /** Whether only their number is the result. */
    readonly isCount: boolean
  }

/** `_count`: how many rows relations have, by name. */
export interface RelatedCounts {
  readonly counts: ReadonlyMap<string, RelatedRows>
}

type AnyPlan = RowPlan & Partial<LinkedPlan>

/** The caches that a plan reads. */
export function cachesIn(plan: AnyPlan): readonly AnsweringCache[] {
  const { origin, readable, related, selection } = plan
  if (related.length === 0 && !selection.test && !origin) return [readable.cache]
  return plansIn(plan).flatMap((each) => [each.readable.cache, ...cachesOf(each.selection.test)])
}

/** A plan, those of its relations, and the one that finds the rows which lead to its own. */
export function plansIn(plan: AnyPlan): readonly RowPlan[] {
  const { origin, related } = plan
  const plans = related.flatMap((each) => ('counts' in each ? [...each.counts.values()] : [each]))
  return [plan, ...[...plans, ...(origin ? [origin] : [])].flatMap(plansIn)]
}

/** Whether a plan gives an answer whatever rows there are, as far as {@link isCertain} says. */
export function isCertainAnswer(plan: ReadPlan): boolean {
  return plansIn(plan).every(({ selection }) => isCertain(selection))
}

/** The caches that decide conditions on relations. */
export function cachesOf(test: RowTest | undefined): readonly AnsweringCache[] {
  return test ? test.relations.flatMap(({ caches }) => caches) : []
}

/** The plan of what the fluent API returns: `['select', 'bids']` stands for `findUnique(…).bids()`. */
export function planAt(plan: RowPlan, dataPath: readonly string[]): RowPlan {
  return dataPath
    .filter((_, index) => index % 2 === 1)
    .reduce((at, relation) => at.related[at.projection.relations.indexOf(relation)] as RelatedRow, plan)
}
