import type { CachedRow } from '../../read-caches.js'
import type { KeyPlan, LinkedPlan, ListPlan, ReadPlan } from './read-plan.js'
import type { BypassReason } from './read-outcome.js'
import { areOf, composed, findRow, findRows, selectEach } from './read-related.js'
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
  // Most queries ask for one row as it is, which is not worth a list.
  return 'ids' in plan && isOfOneRow(plan, action) ? answerWithRow(plan) : answerWithRows(plan, action)
}

function isOfOneRow({ ids, related, selection }: KeyPlan, action: string): boolean {
  return (
    ids.length === 1 &&
    action !== 'findMany' &&
    action !== 'count' &&
    related.length === 0 &&
    isAll(selection)
  )
}

function isAll({ isCursor, skip, test }: RowSelection): boolean {
  return !test && !isCursor && skip === 0
}

function answerWithRow({ ids, key, project }: KeyPlan): Promise<unknown> {
  const [id] = ids
  return key.get(id).then((row) => (row === null ? null : key.isOf(row, id) ? project(row) : otherKey))
}

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
  const found = await ('ids' in plan ? byKeys(plan) : 'list' in plan ? ofLists(plan) : linked(plan))
  if (typeof found === 'string') return found
  const selected = await selectEach([found], plan.selection)
  return typeof selected === 'string' ? selected : selected[0]!
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
