import type { CachedRow } from '../../read-caches.js'
import { copyResult } from './copy-result.js'
import type { KeyPlan, ListPlan, ReadPlan, RowPlan } from './read-plan.js'
import type { RelatedPlan, RelatedRow, RelatedRows } from './read-plan.js'
import type { BypassReason } from './read-outcome.js'
import { type RowSelection, selectRows } from './row-selection.js'

/** Why the database answers after all: what caches found does not show what it would return. */
export class Unanswered {
  readonly reason: BypassReason

  constructor(reason: BypassReason) {
    this.reason = reason
  }
}

/** The database compares keys in a way that only it knows, for example without case: a row has another one than was requested. */
const otherKey = new Unanswered('id_value')

/** Reads the rows of a plan from caches, in the form that the database would give. */
export function answerOf(plan: ReadPlan, action: string): Promise<unknown> {
  return 'ids' in plan ? answerByKeys(plan, action) : answerFromLists(plan, action)
}

function answerByKeys(plan: KeyPlan, action: string): Promise<unknown> {
  const { ids, key, related, selection } = plan
  const isOneRow = ids.length === 1 && action !== 'findMany' && action !== 'count'
  // Most queries ask for one row as it is, which is not worth a list.
  if (isOneRow && related.length === 0 && isAll(selection)) {
    const [id] = ids
    return key.get(id).then((row) => (row === null ? null : key.isOf(row, id) ? plan.project(row) : otherKey))
  }
  return key.getMany(ids).then((found) => {
    const areExact = found.every((row, i) => row === null || key.isOf(row, ids[i]))
    return areExact
      ? resultOf(
          plan,
          action,
          found.filter((row) => row !== null),
        )
      : otherKey
  })
}

function answerFromLists(plan: ListPlan, action: string): Promise<unknown> {
  const { list, listKeys } = plan
  return list.lookup
    .findMany(listKeys)
    .then((found) =>
      found.every((rows, i) => areOf(list, listKeys[i]!, rows))
        ? resultOf(plan, action, found.flat())
        : otherKey,
    )
}

function isAll({ isCursor, skip, test }: RowSelection): boolean {
  return !test && !isCursor && skip === 0
}

/** Rows that are found through a relation do not show by which key. */
function areOf({ lookup }: RelatedRows['list'], key: CachedRow, rows: readonly CachedRow[]): boolean {
  const { keyOf, through } = lookup
  if (through !== undefined) return true
  const text = keyOf(key)
  return rows.every((row) => keyOf(row) === text)
}

function resultOf(plan: RowPlan, action: string, found: readonly CachedRow[]): unknown {
  const rows = selectRows(found, plan.selection)
  if (typeof rows === 'string') return new Unanswered(rows)
  if (action === 'count') return rows.length
  const single = (results: readonly unknown[] | Unanswered): unknown =>
    action === 'findMany' || results instanceof Unanswered ? results : (results[0] ?? null)
  if (plan.related.length === 0) return single(rows.map(plan.project))
  return composed(plan, rows).then(single)
}

/** The results of rows, with those of their relations: one round trip for all rows of a level. */
async function composed(
  { project, projection, related }: RowPlan,
  rows: readonly CachedRow[],
): Promise<readonly unknown[] | Unanswered> {
  if (related.length === 0) return rows.map(project)
  if (rows.length === 0) return []
  const values = await allOf(related.map((plan) => relatedOf(plan, rows)))
  if (values instanceof Unanswered) return values
  return rows.map((row, i) =>
    projection.compose(
      project(row),
      values.map((each) => each[i]),
    ),
  )
}

/** The results of each, or the first that is none. */
async function allOf(
  work: readonly Promise<readonly unknown[] | Unanswered>[],
): Promise<readonly (readonly unknown[])[] | Unanswered> {
  const results = await Promise.all(work)
  return results.find((each) => each instanceof Unanswered) ?? (results as readonly (readonly unknown[])[])
}

/** What each row has of a relation. */
async function relatedOf(
  plan: RelatedPlan,
  rows: readonly CachedRow[],
): Promise<readonly unknown[] | Unanswered> {
  if (!('counts' in plan)) return 'key' in plan ? relatedRowOf(plan, rows) : relatedRowsOf(plan, rows)
  const names = [...plan.counts.keys()]
  const values = await allOf([...plan.counts.values()].map((each) => relatedRowsOf(each, rows)))
  if (values instanceof Unanswered) return values
  return rows.map((_, i) => Object.fromEntries(names.map((name, n) => [name, values[n]![i]])))
}

async function relatedRowOf(
  plan: RelatedRow,
  rows: readonly CachedRow[],
): Promise<readonly unknown[] | Unanswered> {
  const { isCertain, key, keyOf } = plan
  const keys = distinctOf(rows.map(keyOf), (each) => key.identify(each))
  if (!keys) return otherKey
  const { distinct, positions } = keys
  const found = await key.getMany(distinct)
  for (const [i, row] of found.entries()) {
    if (row === null ? isCertain : !key.isOf(row, distinct[i])) return row === null ? apart : otherKey
  }
  const own = ownRows(positions.map((position) => (position === undefined ? null : found[position]!)))
  const results = await composed(
    plan,
    own.filter((row) => row !== null),
  )
  if (results instanceof Unanswered) return results
  let next = 0
  return own.map((row) => (row === null ? null : results[next++]))
}

async function relatedRowsOf(
  plan: RelatedRows,
  rows: readonly CachedRow[],
): Promise<readonly unknown[] | Unanswered> {
  const { isCount, keyOf, list, selection } = plan
  const keys = distinctOf(rows.map(keyOf), (each) => list.lookup.keyOf(each as CachedRow))
  if (!keys) return otherKey
  const { distinct, positions } = keys
  const found = await list.lookup.findMany(distinct as CachedRow[])
  const selected: (readonly CachedRow[])[] = []
  for (const [i, each] of found.entries()) {
    if (!areOf(list, distinct[i] as CachedRow, each)) return otherKey
    const chosen = selectRows(each, selection)
    if (typeof chosen === 'string') return new Unanswered(chosen)
    selected.push(chosen)
  }
  const listed = positions.map((position) => (position === undefined ? [] : selected[position]!))
  if (isCount) return listed.map((each) => each.length)
  const results = await composed(plan, ownRows(listed.flat()))
  if (results instanceof Unanswered) return results
  let end = 0
  return listed.map((each) => results.slice(end, (end += each.length)))
}

/** The parts of a result do not belong together: a row is gone that another one leads to. */
const apart = new Unanswered('apart')

interface DistinctKeys {
  /** Each once. */
  readonly distinct: readonly unknown[]
  /** Of the key of each row; undefined for a row without one. */
  readonly positions: readonly (number | undefined)[]
}

/** Returns undefined if only the database knows one of the keys. */
function distinctOf(keys: readonly unknown[], identify: (key: unknown) => unknown): DistinctKeys | undefined {
  if (keys.includes(undefined)) return undefined
  const distinct: unknown[] = []
  const known = new Map<unknown, number>()
  const positions = keys.map((key) => {
    if (key === null) return undefined
    const identity = identify(key)
    let position = known.get(identity)
    if (position === undefined) {
      known.set(identity, (position = distinct.length))
      distinct.push(key)
    }
    return position
  })
  return { distinct, positions }
}

/** Copies rows that several rows lead to: each result is the caller's own, and no two share a row. */
function ownRows<Row extends CachedRow | null>(rows: readonly Row[]): readonly Row[] {
  const given = new Set<Row>()
  return rows.map((row) => {
    if (row === null || !given.has(row)) {
      given.add(row)
      return row
    }
    return copyResult(row) as Row
  })
}
