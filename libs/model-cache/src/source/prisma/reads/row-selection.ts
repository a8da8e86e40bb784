import type { CachedRow } from '../../read-caches.js'
import type { ListCosts } from './list-costs.js'
import type { BypassReason } from './read-outcome.js'
import type { Comparator, Ties } from './row-order.js'
import { type RowTest, Undecided } from './row-test.js'

/** Which of the rows that a cache has found are the result, in which order. */
export interface RowSelection {
  readonly test: RowTest | undefined
  /** Undefined if the rows have the order of the query already, or it has none. */
  readonly compare: Comparator | undefined
  /** Whether the database returns the rows in one order only. It may put those that `orderBy` takes for equal in any. */
  readonly isOrdered: boolean
  /** Which neighbours the database may put in the other order. Undefined if it never does. */
  readonly areTied: Ties | undefined
  /** Why the database answers if a page begins or ends between two such neighbours. */
  readonly cutReason: 'order' | 'paging'
  /** Finds the row at which the result begins. */
  readonly isCursor: ((row: CachedRow) => boolean) | undefined
  readonly skip: number
  /** The maximum number of rows. */
  readonly take: number
  /** The number of rows that a list must not reach, as it may then lack some that the result has. */
  readonly completeBelow: number
  /** The costs of a list of which only a part is the result; undefined if all of it is, or costs do not matter. */
  readonly costs: ListCosts | undefined
}

/** Whether a selection gives a result whatever rows there are, unless a page begins or ends between rows that an order takes for equal. */
export function isCertain({ areTied, completeBelow, skip, take, test }: RowSelection): boolean {
  const isCut = skip > 0 || take < Infinity
  const areDecided = test?.relations.every((relation) => relation.isCertain) ?? true
  return completeBelow === Infinity && !(areTied === 'always' && isCut) && areDecided
}

/** All rows, in the order in which they were found. */
export const allRows: RowSelection = {
  test: undefined,
  compare: undefined,
  isOrdered: true,
  areTied: undefined,
  cutReason: 'paging',
  isCursor: undefined,
  skip: 0,
  take: Infinity,
  completeBelow: Infinity,
  costs: undefined,
}

/** Selects rows of those that were found, or says why only the database can. The test must not have conditions on relations. */
export function selectRows(
  found: readonly CachedRow[],
  selection: RowSelection,
): readonly CachedRow[] | BypassReason {
  const rows = candidatesOf(found, selection)
  return typeof rows === 'string' ? rows : pageOf(rows, selection)
}

/** The rows that conditions on relations can leave, in the order of the query. */
export function candidatesOf(
  found: readonly CachedRow[],
  { compare, completeBelow, isCursor, test }: RowSelection,
): readonly CachedRow[] | BypassReason {
  if (found.length >= completeBelow) return 'paging'
  const sorted = compare ? unlessUndecided('order', () => found.toSorted(compare)) : found
  if (typeof sorted === 'string') return sorted
  let rows = sorted
  if (isCursor) {
    const start = rows.findIndex(isCursor)
    // The row may exist, and not be one of these.
    if (start < 0) return 'paging'
    rows = rows.slice(start)
  }
  return test ? unlessUndecided('condition', () => rows.filter((row) => test.holds(row))) : rows
}

/** Returns the reason if only the database knows. */
export function unlessUndecided<Result>(reason: BypassReason, resultOf: () => Result): Result | BypassReason {
  try {
    return resultOf()
  } catch (error) {
    if (error instanceof Undecided) return reason
    throw error
  }
}

/** The rows of the page, of those that fulfil all conditions. */
export function pageOf(
  rows: readonly CachedRow[],
  { areTied, cutReason, skip, take }: RowSelection,
): readonly CachedRow[] | BypassReason {
  if (skip === 0 && take >= rows.length) return rows
  const isCutAt = (end: number): boolean =>
    end > 0 && end < rows.length && (areTied === 'always' || areTied!(rows[end - 1]!, rows[end]!))
  if (areTied && take > 0 && (isCutAt(skip) || isCutAt(skip + take))) return cutReason
  return rows.slice(skip, skip + take)
}
