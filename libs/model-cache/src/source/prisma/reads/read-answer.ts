import type { CachedRow } from '../../read-caches.js'
import type { KeyPlan, LinkedPlan, ListPlan, ReadPlan, RelatedTo } from './read-plan.js'
import type { BypassReason } from './read-outcome.js'
import type { KeyColumn } from './readable-key.js'
import { areOf, composed, findRow, findRows, selectEach, relatedValuesOf } from './read-related.js'
import type { RowSelection } from './row-selection.js'

/** The result of a query, or why the database answers after all: what caches found does not show what it would return. */
export type Answer = CachedRow | readonly CachedRow[] | number | null | BypassReason

/** The database compares keys in a way that only it knows, for example without case: a row has another one than was requested. */
const otherKey: BypassReason = 'id_value'

/** Reads the rows of a plan from caches, in the form that the database would give. */
export function answerOf(plan: ReadPlan, action: string): Promise<Answer> {
  return 'ids' in plan && plan.ids.length === 1
    ? answeringOf(plan, action)(plan.ids[0])
    : answerWithRows(plan, action)
}

/** Returns what answers queries that ask for one row, and differ in its id alone. */
export function answeringOf(plan: KeyPlan, action: string): (id: unknown) => Promise<Answer> {
  // Most queries ask for one row, as it is or with what its key leads to: that is not worth what several rows take.
  const isOfOneRow = action !== 'findMany' && action !== 'count' && isAll(plan.selection)
  if (isOfOneRow && plan.related.length === 0) return (id) => answerWithRow(plan, id)
  if (isOfOneRow && isKeyEnough(plan)) return answerAtOnce(plan)
  return (id) => answerWithRows({ ...plan, ids: [id] }, action)
}

function isAll({ isCursor, skip, test }: RowSelection): boolean {
  return !test && !isCursor && skip === 0
}

/** Whether the key of a row leads to all that belongs to it. */
function isKeyEnough({ key, related }: KeyPlan): boolean {
  const names = new Set(key.fields.map(({ name }) => name))
  const isFromKey = ({ from }: RelatedTo): boolean => from.every((field) => names.has(field))
  return related.every((one) =>
    'counts' in one ? [...one.counts.values()].every(isFromKey) : isFromKey(one),
  )
}

function answerWithRow({ form, key, readable }: KeyPlan, id: unknown): Promise<Answer> {
  const isOwn = !readable.cache.sharesRows
  return key.get(id).then((row) => (row === null ? null : key.isOf(row, id) ? form.of(row, isOwn) : otherKey))
}

/** Queries after one for a row that does not exist whose relations are read after the row. */
const cautious = 32

/** Reads what the key of a row leads to at the same time as the row: that is one round trip less. */
function answerAtOnce(plan: KeyPlan): (id: unknown) => Promise<Answer> {
  const { form, key, readable, related } = plan
  const [{ name }, ...others] = key.fields as [KeyColumn]
  const keyed = (id: unknown): CachedRow => (others.length === 0 ? { [name]: id } : (id as CachedRow))
  // Prisma sends no statement for what belongs to no row.
  let left = 0
  return async (id) => {
    const early = left > 0 ? undefined : relatedValuesOf(related, [keyed(id)])
    if (left > 0) left--
    const [row, values] = await Promise.all([key.get(id), early])
    if (row === null) {
      left = cautious
      return null
    }
    if (!key.isOf(row, id)) return otherKey
    const found = values ?? (await relatedValuesOf(related, [row]))
    if (typeof found === 'string') return found
    return form.withRelated(row, !readable.cache.sharesRows, found, 0)
  }
}

async function answerWithRows(plan: ReadPlan, action: string): Promise<Answer> {
  const rows = await rowsOf(plan)
  if (typeof rows === 'string') return rows
  if (action === 'count') return rows.length
  const results = await composed(plan, rows)
  if (typeof results === 'string' || action === 'findMany') return results
  return results[0] ?? null
}

/** The rows that are the result, with the fields that the cache has. */
async function rowsOf(plan: ReadPlan): Promise<readonly CachedRow[] | BypassReason> {
  const costs = 'list' in plan ? plan.selection.costs : 'origin' in plan ? plan.costs : undefined
  const keys = costs && keysOf(plan)
  if (costs?.areHigh(keys!)) return 'costs'
  const origin = 'origin' in plan ? await rowsOf(plan.origin) : none
  if (typeof origin === 'string') return origin
  const found = await ('ids' in plan
    ? byKeys(plan)
    : 'list' in plan
      ? ofLists(plan)
      : linkedTo(origin, plan.link))
  if (typeof found === 'string') return found
  const selected = await selectEach([found], plan.selection)
  if (typeof selected === 'string') return selected
  const [rows] = selected as [readonly CachedRow[]]
  costs?.note(keys!, origin.length + found.length, rows.length)
  return rows
}

const none: readonly never[] = []

/** The keys by which a plan begins to read, as they are compared. */
function keysOf(plan: ReadPlan): readonly unknown[] {
  if ('origin' in plan) return keysOf(plan.origin)
  return 'list' in plan
    ? plan.listKeys.map(plan.list.lookup.keyOf)
    : plan.ids.map((id) => plan.key.identify(id))
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

/** The rows to which others lead. */
async function linkedTo(
  rows: readonly CachedRow[],
  link: LinkedPlan['link'],
): Promise<readonly CachedRow[] | BypassReason> {
  if ('list' in link) {
    const found = await findRows(link, rows)
    return typeof found === 'string' ? found : found.flat()
  }
  const found = await findRow(link, rows)
  return typeof found === 'string' ? found : [...new Set(found.filter((row) => row !== null))]
}
