import type { Model } from '../../schema-facts.js'
import type { Args, HookCall } from '../internals.js'
import type { Claimed } from './claim-rows.js'
import { hasLockingReads } from '../locking-reads.js'
import { areFew, both, keysAround, keysIn } from './conditions.js'
import { areExact, type Row, rowKeyOf } from './literals.js'
import { areGone, lockRows } from './lock-rows.js'
import { enterByKey } from './rows-after.js'
import { type Outcome, plain, query } from './run-query.js'
import {
  markAllWritten,
  markUnclaimed,
  markWritten,
  select,
  selectLocked,
  type WriteContext,
} from './write-context.js'
import type { WritePlan } from './write-plan.js'

/** Runs a bulk write whose rows the database does not return, but selects before. */
export async function restricted(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  claimed: Claimed | undefined,
): Promise<Outcome> {
  const { model: name, changes } = plan
  const { limit, models } = context.planning
  const { where = {}, limit: most } = call.args
  // Prisma takes other numbers and decimals, too, without their fractions.
  const isCounted = most === undefined || Number.isSafeInteger(most)
  const model = models.get(name)!
  const key = isCounted ? exactKeyOf(context, model, changes) : undefined
  const take = typeof most === 'number' && most >= 0 ? Math.min(most, limit + 1) : limit + 1
  const fields = [...new Set([...(key ?? []), ...plan.idFields])]
  const read = hasLockingReads(context.bareClient) ? selectLocked : select
  // The models are marked.
  if (plan.claim && !claimed) return plain(context, call)
  const rows = claimed?.rows ?? (key && (await read(context, name, where as Args, fields, take)))
  if (!key || !rows || rows.length > limit) {
    markUnclaimed(context, plan, rows && rows.length > limit)
    return plain(context, call)
  }
  markWritten(context, (affected) =>
    affected.addChanged(name, rows, showsNewIds(plan) ? changes : {}, 'unknown'),
  )
  if (call.operation !== 'deleteMany') return updateByKeys(context, plan, call, key, rows)
  const isLocked = most === undefined && (claimed !== undefined || (await lockAll(context, plan, key, rows)))
  if (plan.isOneStatement && !isLocked) {
    markUnclaimed(context, plan)
    return plain(context, call)
  }
  return isLocked ? deleteLocked(context, plan, call, rows) : deleteByKeys(context, plan, call, key, rows)
}

async function lockAll(
  context: WriteContext,
  { isOneStatement, model: name }: WritePlan,
  key: readonly string[],
  rows: readonly Row[],
): Promise<boolean> {
  const { bareClient, planning } = context
  // Rows that are found by few conditions need no lock.
  if (!isOneStatement && areFew(planning, key, rows)) return false
  if (hasLockingReads(bareClient)) return true
  return (await lockRows(context, planning.models.get(name)!, rows)) === rows.length
}

/** Deletes as many rows as are locked. If these are gone afterwards, no other one was deleted. */
async function deleteLocked(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  rows: readonly Row[],
): Promise<Outcome> {
  const result = (await query(context, call, call.args)) as { count: number }
  const model = context.planning.models.get(plan.model)!
  const areThese = result.count === rows.length && (await areGone(context, model, rows))
  if (!areThese) markUnclaimed(context, plan)
  return { result }
}

/**
 * Deletes the rows that were selected before, and then all others that match. There are others only if they began to match in
 * between, or cannot be found by their keys.
 */
async function deleteByKeys(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  key: readonly string[],
  rows: readonly Row[],
): Promise<Outcome> {
  const where = (call.args.where ?? {}) as Args
  const conditions = keysIn(context.planning, key, rows).map((among) => both(where, among))
  // A deleted row does not match again.
  const counts = await writeAll(context, call, [...conditions, where])
  if (counts.at(-1)! > 0) markUnclaimed(context, plan)
  return { result: { count: sum(counts) } }
}

/** As {@link deleteByKeys}. An updated row may match again, so that the last statement leaves out the rows of those before. */
async function updateByKeys(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  key: readonly string[],
  rows: readonly Row[],
): Promise<Outcome> {
  const { model } = plan
  const where = (call.args.where ?? {}) as Args
  const { conditions, areExact } = keysAround(context.planning, key, rows)
  const counts = await writeAll(context, call, [
    ...conditions.map((among) => both(where, among)),
    conditions.length === 0 ? where : both(where, { NOT: { OR: conditions } }),
  ])
  const isShown = areExact && showsNewIds(plan)
  const written = isShown ? rows : await selectAround(context, plan, key, conditions)
  if (!isShown && written) markWritten(context, (affected) => affected.addRows(model, written, 'unknown'))
  if (!written) markAllWritten(context, model, 'unbounded')
  else if (plan.entering)
    await enterByKey(context, { model, key, rows: written, changed: plan.entering.changed })
  // Rows that are matched by the values of several keys were not locked.
  if (counts.at(-1)! > 0 || (plan.claim && !areExact)) markUnclaimed(context, plan)
  return { result: { count: sum(counts) } }
}

/** Whether the arguments show the ids that the rows have afterwards. */
function showsNewIds({ changes, idFields }: WritePlan): boolean {
  return idFields.every((field) => !(field in changes) || changes[field] !== undefined)
}

/** Selects all rows that an update may have written. Returns undefined if there are more than the limit. */
async function selectAround(
  context: WriteContext,
  { model, idFields }: WritePlan,
  key: readonly string[],
  conditions: readonly Args[],
): Promise<readonly Row[] | undefined> {
  const { limit } = context.planning
  const fields = [...new Set([...key, ...idFields])]
  const found: Row[] = []
  for (const among of conditions) {
    for (const row of (await select(context, model, among, fields, limit + 1)) ?? []) found.push(row)
    if (found.length > limit) return undefined
  }
  return found
}

/** Runs a write on each of the conditions, and counts the rows of each, up to the limit of the write. */
async function writeAll(
  context: WriteContext,
  call: HookCall,
  conditions: readonly unknown[],
): Promise<readonly number[]> {
  const { limit: most } = call.args
  const counts: number[] = []
  for (const where of conditions) {
    const left = typeof most === 'number' ? most - sum(counts) : undefined
    // A limit that is invalid, or 0, is left to Prisma.
    const isOver = left !== undefined && (most as number) > 0 && left <= 0
    const args = { ...call.args, where, ...(left !== undefined && { limit: left }) }
    counts.push(isOver ? 0 : ((await query(context, call, args)) as { count: number }).count)
  }
  return counts
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

/** Fields that every row has and the write keeps, and that find it again: its own key, otherwise the id of a cache. */
function exactKeyOf({ planning }: WriteContext, model: Model, changes: Row): readonly string[] | undefined {
  const keys = [rowKeyOf(model), ...planning.coordinator.idFieldsOf(model.name)]
  return keys.find(
    (key) =>
      key.length > 0 &&
      areExact(model, key) &&
      !key.some((field) => field in changes || model.scalars.get(field)!.isNullable),
  )
}
