import type { CachedRow } from '../../read-caches.js'
import type {
  RelatedKey,
  RelatedList,
  RelatedOne,
  RelatedPlan,
  RelatedRows,
  RelatedTo,
  RowPlan,
} from './read-plan.js'
import type { BypassReason } from './read-outcome.js'
import { hasExactly, type ReadableKey } from './readable-key.js'
import type { ReadableList } from './readable-list.js'
import { candidatesOf, pageOf, type RowSelection, selectRows, unlessUndecided } from './row-selection.js'
import type { RowTest, Truth } from './row-test.js'

/** The results of rows, with those of their relations: one round trip for all rows of a level. */
export async function composed(
  plan: RowPlan,
  rows: readonly CachedRow[],
): Promise<readonly CachedRow[] | BypassReason> {
  if (rows.length === 0) return []
  const { form, related } = plan
  const isOwn = ownersOf(plan)
  if (related.length === 0) return rows.map((row) => form.of(row, isOwn(row)))
  const values = await relatedValuesOf(related, rows)
  if (typeof values === 'string') return values
  return rows.map((row, i) => form.withRelated(row, isOwn(row), values, i))
}

/** Returns what says of each row in turn whether it is not another's, nor the same as one before: each result is the caller's own. */
function ownersOf({ readable }: RowPlan): (row: CachedRow) => boolean {
  if (readable.cache.sharesRows) return () => false
  const given = new Set<CachedRow>()
  return (row) => {
    if (given.has(row)) return false
    given.add(row)
    return true
  }
}

/** What rows have of relations: of each relation the value of every row. */
export function relatedValuesOf(
  related: readonly RelatedPlan[],
  rows: readonly CachedRow[],
): Promise<readonly (readonly unknown[])[] | BypassReason> {
  return allOf(related.map((plan) => relatedOf(plan, rows)))
}

/** The results of each, or the first that is none. */
async function allOf<Value>(
  work: readonly Promise<readonly Value[] | BypassReason>[],
): Promise<readonly (readonly Value[])[] | BypassReason> {
  const results = await Promise.all(work)
  return results.find((each) => typeof each === 'string') ?? (results as readonly (readonly Value[])[])
}

/** What each row has of a relation. */
async function relatedOf(
  plan: RelatedPlan,
  rows: readonly CachedRow[],
): Promise<readonly unknown[] | BypassReason> {
  if ('isCount' in plan) return relatedRowsOf(plan, rows)
  if (!('counts' in plan)) {
    const found = await findRow(plan, rows)
    if (typeof found === 'string') return found
    return ofExisting<CachedRow | null>(found, null, (rows) => composed(plan, rows))
  }
  const names = [...plan.counts.keys()]
  const values = await allOf([...plan.counts.values()].map((each) => relatedRowsOf(each, rows)))
  if (typeof values === 'string') return values
  return rows.map((_, i) => Object.fromEntries(names.map((name, n) => [name, values[n]![i]])))
}

async function relatedRowsOf(
  plan: RelatedRows,
  rows: readonly CachedRow[],
): Promise<readonly unknown[] | BypassReason> {
  const listed = await findListed(plan, rows)
  if (typeof listed === 'string') return listed
  if (plan.isCount) return listed.map((each) => each.length)
  const results = await composed(plan, listed.flat())
  if (typeof results === 'string') return results
  let end = 0
  return listed.map((each) => results.slice(end, (end += each.length)))
}

/** The row that each row leads to. Rows with one key share it. */
export async function findRow(
  { isCertain, key, keyOf }: RelatedKey,
  rows: readonly CachedRow[],
): Promise<readonly (CachedRow | null)[] | BypassReason> {
  const keys = distinctOf(rows, keyOf, key)
  if (!keys) return 'id_value'
  const { distinct, positions } = keys
  const found = await key.getMany(distinct)
  for (const [i, row] of found.entries()) {
    // The parts of a result do not belong together: a row is gone that another one leads to.
    if (row === null && isCertain) return 'apart'
    if (row !== null && !key.isOf(row, distinct[i])) return 'id_value'
  }
  return positions.map((position) => (position === undefined ? null : found[position]!))
}

/** The result of each row, and a given one where there is no row. */
export async function ofExisting<Result>(
  found: readonly (CachedRow | null)[],
  ofNone: Result,
  resultsOf: (rows: readonly CachedRow[]) => Promise<readonly Result[] | BypassReason>,
): Promise<readonly Result[] | BypassReason> {
  const results = await resultsOf(found.filter((row) => row !== null))
  if (typeof results === 'string') return results
  let next = 0
  return found.map((row) => (row === null ? ofNone : (results[next++] as Result)))
}

/** The rows of a relation with many that each row leads to. */
export function findListed(
  related: RelatedList | RelatedOne,
  rows: readonly CachedRow[],
): Promise<readonly (readonly CachedRow[])[] | BypassReason> {
  return 'list' in related ? findRows(related, rows) : findOne(related, rows)
}

async function findOne(
  related: RelatedOne,
  rows: readonly CachedRow[],
): Promise<readonly (readonly CachedRow[])[] | BypassReason> {
  const found = await findRow(related, rows)
  if (typeof found === 'string') return found
  return selectEach(
    found.map((row) => (row ? [row] : [])),
    related.selection,
  )
}

/** The rows that each row leads to. Rows with one key share them. */
export async function findRows(
  { keyOf, list, selection }: RelatedList,
  rows: readonly CachedRow[],
): Promise<readonly (readonly CachedRow[])[] | BypassReason> {
  const { fields, lookup } = list
  const keys = distinctOf(rows, keyOf, {
    identify: (each) => lookup.keyOf(each as CachedRow),
    isSame: (one, other) => hasExactly(fields, one as CachedRow, other as CachedRow),
  })
  if (!keys) return 'id_value'
  const { distinct, positions } = keys
  const { costs } = selection
  const texts = costs && distinct.map((key) => lookup.keyOf(key as CachedRow))
  if (texts && costs.areHigh(texts)) return 'costs'
  const found = await lookup.findMany(distinct as CachedRow[])
  if (!found.every((each, i) => areExactlyOf(list, distinct[i] as CachedRow, each))) return 'id_value'
  const selected = await selectEach(found, selection)
  if (typeof selected === 'string') return selected
  if (texts) costs.note(texts, rowsIn(found), rowsIn(selected))
  return positions.map((position) => (position === undefined ? [] : selected[position]!))
}

function rowsIn(lists: readonly (readonly CachedRow[])[]): number {
  let rows = 0
  for (const { length } of lists) rows += length
  return rows
}

/** Whether rows have the very key of a list: Prisma joins the rows of relations by their texts. */
function areExactlyOf({ fields, lookup }: ReadableList, key: CachedRow, rows: readonly CachedRow[]): boolean {
  return lookup.through !== undefined || rows.every((row) => hasExactly(fields, row, key))
}

/** Whether rows have a key that the database takes for that of a list. Those that are found through a relation do not show it. */
export function areOf({ fields, lookup }: ReadableList, key: CachedRow, rows: readonly CachedRow[]): boolean {
  const { keyOf, through } = lookup
  if (through !== undefined) return true
  let text: string | null | undefined
  return rows.every((row) => {
    if (fields.every(({ name }) => row[name] === key[name])) return true
    text ??= keyOf(key)
    return keyOf(row) === text
  })
}

/** Selects rows of each list. Conditions on relations are decided for all rows of all lists at once. */
export async function selectEach(
  lists: readonly (readonly CachedRow[])[],
  selection: RowSelection,
): Promise<readonly (readonly CachedRow[])[] | BypassReason> {
  const { test } = selection
  if (!test || test.relations.length === 0) return each(lists, (rows) => selectRows(rows, selection))
  const candidates = each(lists, (rows) => candidatesOf(rows, selection))
  if (typeof candidates === 'string') return candidates
  const truths = await truthsOf(test, candidates.flat())
  if (typeof truths === 'string') return truths
  let next = 0
  return each(candidates, (rows) =>
    pageOf(
      rows.filter(() => truths[next++] === true),
      selection,
    ),
  )
}

/** What the database says of the conditions for each row. */
export async function truthsOf(
  { relations, truthOf }: RowTest,
  rows: readonly CachedRow[],
): Promise<readonly Truth[] | BypassReason> {
  if (rows.length === 0) return []
  const truths = await allOf(relations.map((relation) => relation.truthsOf(rows)))
  if (typeof truths === 'string') return truths
  return unlessUndecided('condition', () =>
    rows.map((row, i) =>
      truthOf(
        row,
        truths.map((each) => each[i]),
      ),
    ),
  )
}

/** The results of all, or the first reason why one is none. */
function each<Value, Result extends object>(
  values: readonly Value[],
  resultOf: (value: Value) => Result | BypassReason,
): readonly Result[] | BypassReason {
  const results: Result[] = []
  for (const value of values) {
    const result = resultOf(value)
    if (typeof result === 'string') return result
    results.push(result)
  }
  return results
}

interface DistinctKeys {
  /** Each once. */
  readonly distinct: readonly unknown[]
  /** The position of the key of each row in {@link distinct}; undefined for a row without one. */
  readonly positions: readonly (number | undefined)[]
}

/** Returns undefined if only the database knows one of the keys, or whether two of them are equal. */
function distinctOf(
  rows: readonly CachedRow[],
  keyOf: RelatedTo['keyOf'],
  { identify, isSame }: Pick<ReadableKey, 'identify' | 'isSame'>,
): DistinctKeys | undefined {
  const distinct: unknown[] = []
  const known = new Map<unknown, number>()
  const positions: (number | undefined)[] = []
  // A row that several lead to is here once for each of them.
  const seen = new Map<CachedRow, number | undefined>()
  for (const row of rows) {
    let position = seen.get(row)
    if (position === undefined && !seen.has(row)) {
      const key = keyOf(row)
      const identity = key === null ? null : key === undefined ? undefined : (identify(key) ?? undefined)
      if (identity === undefined) return undefined
      position = known.get(identity)
      if (position !== undefined && !isSame(distinct[position], key)) return undefined
      if (identity !== null && position === undefined)
        known.set(identity, (position = distinct.push(key) - 1))
      seen.set(row, position)
    }
    positions.push(position)
  }
  return { distinct, positions }
}
