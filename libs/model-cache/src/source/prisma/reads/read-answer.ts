import type { CachedRow } from '../../read-caches.js'
import type { KeyPlan, ListPlan, ReadPlan } from './plan-read.js'

/**
 * Reads the rows of a plan from its cache, in the form that the database would give. Resolves to undefined if a row has another id or
 * key than was requested: then the database compares these in a way that only it knows, for example without case.
 */
export function answerOf(plan: ReadPlan, action: string): Promise<unknown> {
  if ('list' in plan) return listRows(plan).then((rows) => resultOf(plan, action, rows))
  const { ids, key, skip } = plan
  if (action !== 'findMany' && ids.length === 1 && skip === 0) {
    const [id] = ids
    return key
      .get(id)
      .then((row) => (row === null ? null : key.isOf(row, id) ? plan.project(row) : undefined))
  }
  return key.getMany(ids).then((found) => {
    const areExact = found.every((row, i) => row === null || key.isOf(row, ids[i]))
    return resultOf(plan, action, areExact ? pageOf(plan, found) : undefined)
  })
}

function resultOf(
  { project }: ReadPlan,
  action: string,
  rows: readonly CachedRow[] | undefined,
): readonly CachedRow[] | CachedRow | null | undefined {
  if (!rows || action === 'findMany') return rows?.map((row) => project(row))
  return rows.length > 0 ? project(rows[0]!) : null
}

async function listRows({ list, listKey }: ListPlan): Promise<readonly CachedRow[] | undefined> {
  const { findMany, keyOf } = list.lookup
  const [rows] = await findMany([listKey])
  const text = keyOf(listKey)
  return rows!.every((row) => keyOf(row) === text) ? rows : undefined
}

function pageOf({ order, skip, take }: KeyPlan, rows: readonly (CachedRow | null)[]): readonly CachedRow[] {
  const found = rows.filter((row) => row !== null)
  if (order) found.sort(order)
  return skip === 0 && take >= found.length ? found : found.slice(skip, skip + take)
}
