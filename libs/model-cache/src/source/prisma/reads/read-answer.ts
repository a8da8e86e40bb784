import type { CachedRow } from '../../read-caches.js'
import type {
  KeyPlan,
  LinkedPlan,
  ListPlan,
  ReadPlan,
  RelatedList,
  RelatedPlan,
  RelatedRows,
} from './read-plan.js'
import type { BypassReason } from './read-outcome.js'
import {
  areExactlyOf,
  areOf,
  composed,
  findRow,
  findRows,
  resultsOf,
  selectEach,
  selectOfLists,
} from './read-related.js'
import type { RowSelection } from './row-selection.js'

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
  return 'ids' in plan && plan.ids.length === 1
    ? answeringOf(plan, action)(plan.ids[0])
    : answerWithRows(plan, action)
}

/** Returns what answers queries that ask for one row, and differ in its id alone. */
export function answeringOf(plan: KeyPlan, action: string): (id: unknown) => Promise<unknown> {
  // Most queries ask for one row as it is, or with one list, which is not worth what several rows take.
  const isOfOneRow = action !== 'findMany' && action !== 'count' && isAll(plan.selection)
  const [related, ...others] = isOfOneRow ? plan.related : []
  if (isOfOneRow && !related) return (id) => answerWithRow(plan, id)
  if (related && isPlainList(related) && others.length === 0) {
    return (id) => answerWithList(plan, related, id)
  }
  return (id) => answerWithRows({ ...plan, ids: [id] }, action)
}

function isAll({ isCursor, skip, test }: RowSelection): boolean {
  return !test && !isCursor && skip === 0
}

/** Whether the rows of a list are the result as they are, without rows of others. */
function isPlainList(related: RelatedPlan): related is RelatedRows & RelatedList {
  if (!('list' in related) || related.isCount || related.related.length > 0) return false
  return !related.selection.test || related.selection.test.relations.length === 0
}

function answerWithRow({ form, key, readable }: KeyPlan, id: unknown): Promise<unknown> {
  const isOwn = !readable.cache.sharesRows
  return key.get(id).then((row) => (row === null ? null : key.isOf(row, id) ? form.of(row, isOwn) : otherKey))
}

async function answerWithList(
  { form, key, readable }: KeyPlan,
  listed: RelatedRows & RelatedList,
  id: unknown,
): Promise<unknown> {
  const { keyOf, list, selection } = listed
  const row = await key.get(id)
  if (row === null) return null
  const listKey = key.isOf(row, id) ? (keyOf(row) as CachedRow | null | undefined) : undefined
  if (listKey === undefined) return otherKey
  const selected = listKey === null ? noLists : await selectOfLists(list, [listKey], selection, areExactlyOf)
  if (typeof selected === 'string') return new Unanswered(selected)
  return form.withRelated(row, !readable.cache.sharesRows, [[resultsOf(listed, selected[0]!)]], 0)
}

const noLists: readonly (readonly CachedRow[])[] = [[]]

async function answerWithRows(plan: ReadPlan, action: string): Promise<unknown> {
  const rows = await rowsOf(plan)
  if (typeof rows === 'string') return new Unanswered(rows)
  if (action === 'count') return rows.length
  const results = await composed(plan, rows)
  if (typeof results === 'string') return new Unanswered(results)
  return action === 'findMany' ? results : (results[0] ?? null)
}

/** The rows that are the result, with the fields that the cache has. */
async function rowsOf(plan: ReadPlan): Promise<readonly CachedRow[] | BypassReason> {
  const { costs } = plan.selection
  const lists = costs && 'list' in plan ? plan.listKeys.map(plan.list.lookup.keyOf) : undefined
  if (lists && costs!.areHigh(lists)) return 'costs'
  const found = await ('ids' in plan ? byKeys(plan) : 'list' in plan ? ofLists(plan) : linked(plan))
  if (typeof found === 'string') return found
  const selected = await selectEach([found], plan.selection)
  if (typeof selected === 'string') return selected
  const [rows] = selected as [readonly CachedRow[]]
  if (lists) costs!.note(lists, found.length, rows.length)
  return rows
}

async function byKeys({ ids, key }: KeyPlan): Promise<readonly CachedRow[] | BypassReason> {
  const found = await key.getMany(ids)
  const areExact = found.every((row, i) => row === null || key.isOf(row, ids[i]))
  return areExact ? found.filter((row) => row !== null) : 'id_value'
}

async function ofLists({ list, listKeys }: ListPlan): Promise<readonly CachedRow[] | BypassReason> {
  const found = await list.lookup.findMany(listKeys)
  return found.every((rows, i) => areOf(list, listKeys[i]!, rows)) ? found.flat() : 'id_value'
}

async function linked({ link, origin }: LinkedPlan): Promise<readonly CachedRow[] | BypassReason> {
  const rows = await rowsOf(origin)
  if (typeof rows === 'string') return rows
  if ('list' in link) {
    const found = await findRows(link, rows)
    return typeof found === 'string' ? found : found.flat()
  }
  const found = await findRow(link, rows)
  return typeof found === 'string' ? found : [...new Set(found.filter((row) => row !== null))]
}
