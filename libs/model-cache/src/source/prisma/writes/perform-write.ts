import type { Model } from '../../schema-facts.js'
import { type Args, type HookCall, isInvalidQuery, omittedFieldsOf } from '../internals.js'
import { claimPlanned, covers, type Claimed } from './claim-rows.js'
import { keysIn, selecting } from './conditions.js'
import { areExact, listOf, type Row } from './literals.js'
import { follow, hideFields, withFields } from './returned-rows.js'
import { enterByKey, enterCascaded, lookUpAfter } from './rows-after.js'
import { markUnclaimed, markWritten, select, type WriteContext } from './write-context.js'
import type { WritePlan } from './write-plan.js'

/** What the caller gets, and the written rows as far as the database has returned them. */
interface Outcome {
  readonly result: unknown
  readonly rows?: readonly Row[]
}

/** Runs a write in a transaction, determines the rows that it writes, and marks them written. The caller gets the same result. */
export async function performWrite(context: WriteContext, plan: WritePlan, call: HookCall): Promise<unknown> {
  plan.affected.announceTo(context.unit)
  const claimed = plan.claim && (await claimPlanned(context, plan))
  const outcome = await run(context, plan, call, claimed).catch(async (error: unknown) => {
    if (!isInvalidQuery(error)) throw error
    // Nothing has reached the database. Run the caller's own query, so that the error is about its arguments.
    const asked = await plain(context, call)
    markAllWritten(context, plan.model, 'unknown')
    return asked
  })
  if (claimed && !covers(context, plan, call.operation, claimed.rows, outcome.rows))
    markUnclaimed(context, plan)
  else for (const cascaded of claimed?.cascaded ?? []) await enterCascaded(context, cascaded)
  for (const lookUp of plan.lookUps) {
    if (lookUp.when === 'after') await lookUpAfter(context, plan, lookUp, outcome.rows?.[0])
  }
  return outcome.result
}

function run(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  claimed: Claimed | undefined,
): Promise<Outcome> {
  switch (plan.mode) {
    case 'plain':
      return plain(context, call)
    case 'returning':
      return returning(context, plan, call)
    case 'create-returning':
      return countReturned(context, plan, call, 'createManyAndReturn')
    case 'update-returning':
      return updateReturning(context, plan, call, claimed)
    case 'restricted':
      return restricted(context, plan, call, claimed)
  }
}

async function plain(context: WriteContext, call: HookCall): Promise<Outcome> {
  return { result: await query(context, call, call.args) }
}

async function returning(context: WriteContext, plan: WritePlan, call: HookCall): Promise<Outcome> {
  const omitted = omittedFieldsOf(context.bareClient, plan.model)
  const { scalars } = context.planning.models.get(plan.model)!
  const { args, added } = withFields(call.args, fieldsOf(context, plan), scalars.keys(), omitted)
  const result = await query(context, call, args, { dataPath: [] })
  const rows = listOf(result ?? undefined).filter((row) => typeof row === 'object') as Row[]
  markReturned(context, plan, call, rows)
  for (const row of rows) hideFields(row, added)
  return { result: follow(result, call.params.dataPath), rows }
}

/** Runs a bulk write as the operation that returns its rows, and counts them. */
async function countReturned(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  action: string,
): Promise<Outcome> {
  const args = { ...call.args, select: selecting(fieldsOf(context, plan)) }
  const rows = (await query(context, call, args, { action })) as Row[]
  markReturned(context, plan, call, rows)
  return { result: { count: rows.length }, rows }
}

/** Has the database return the rows, unless there are more than the limit. */
async function updateReturning(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  claimed: Claimed | undefined,
): Promise<Outcome> {
  const { limit } = context.planning
  const { where = {}, limit: most } = call.args
  const isBounded =
    claimed !== undefined || plan.unknown === 'none' || (typeof most === 'number' && most <= limit)
  if (!isBounded) {
    const rows = await select(context, plan.model, where as Args, fieldsOf(context, plan), limit + 1)
    if (!rows || rows.length > limit) {
      markAllWritten(context, plan.model, rows ? 'unbounded' : 'unknown')
      return plain(context, call)
    }
  }
  return countReturned(context, plan, call, 'updateManyAndReturn')
}

/**
 * Writes the rows that were selected before, and then all others that match. There are others only if they began to
 * match in between, or cannot be found by their keys.
 */
async function restricted(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  claimed: Claimed | undefined,
): Promise<Outcome> {
  const { model, changes } = plan
  const { limit, models } = context.planning
  const { where = {}, limit: most } = call.args
  const key = exactKeyOf(context, models.get(model)!)
  const take = typeof most === 'number' && most >= 0 ? Math.min(most, limit + 1) : limit + 1
  const fields = [...new Set([...(key ?? []), ...plan.idFields])]
  const rows = claimed?.rows ?? (key && (await select(context, model, where as Args, fields, take)))
  if (!key || !rows || rows.length > limit) {
    markAllWritten(context, model, rows && rows.length > limit ? 'unbounded' : 'unknown')
    return plain(context, call)
  }
  markWritten(context, (affected) => affected.addChanged(model, rows, changes, 'unknown'))
  let count = 0
  const left = (): object => (typeof most === 'number' ? { limit: most - count } : {})
  const write = async (condition: unknown): Promise<number> => {
    if (typeof most === 'number' && most > 0 && most <= count) return 0
    const written = await query(context, call, { ...call.args, where: condition, ...left() })
    return (written as { count: number }).count
  }
  const keys = keysIn(key, rows)
  for (const among of keys) count += await write({ AND: [where, among] })
  // A deleted row does not match again; an updated one may.
  const remaining = call.operation === 'deleteMany' ? where : { AND: [where, { NOT: { OR: keys } }] }
  const others = await write(remaining)
  if (plan.entering) await enterByKey(context, { model, key, rows, changed: plan.entering.changed })
  if (others > 0) markUnclaimed(context, plan)
  return { result: { count: count + others } }
}

function query(
  { transaction }: WriteContext,
  call: HookCall,
  args: Args,
  params: object = {},
): PromiseLike<unknown> {
  return call.query(args, { ...call.params, transaction, ...params })
}

function markReturned(
  context: WriteContext,
  { model, entering, unknown }: WritePlan,
  { operation }: HookCall,
  rows: readonly Row[],
): void {
  // Prisma returns none that it cannot find again, because its key loses a part in JavaScript.
  const known = rows.length > 0 || operation.includes('Many') ? rows : [{}]
  markWritten(context, (affected) => {
    if (unknown === 'created') affected.addCreated(model, known, 'unknown')
    else if (unknown === 'any') affected.addRows(model, known, 'unknown')
    if (entering) affected.addEntered(model, known, entering.changed)
  })
}

function markAllWritten(context: WriteContext, model: string, reason: 'unbounded' | 'unknown'): void {
  markWritten(context, (affected) => affected.addModel(model, reason))
}

/** The fields that a written row has to return: its ids, those of the lookups that it enters, and its key if it is found again by it. */
function fieldsOf(
  { planning }: WriteContext,
  { model, idFields, claim, entering, lookUps }: WritePlan,
): readonly string[] {
  const known = planning.models.get(model)!
  const needsKey = claim !== undefined || lookUps.length > 0 || idFields.length === 0
  const fields = [...idFields, ...(entering?.keyFields ?? []), ...(needsKey ? known.primaryKey : [])]
  return [...new Set(fields.filter((field) => known.scalars.has(field)))]
}

/** Fields that find a row again: the primary key, otherwise the id of a cache. */
function exactKeyOf({ planning }: WriteContext, model: Model): readonly string[] | undefined {
  const keys = [model.primaryKey, ...planning.coordinator.idFieldsOf(model.name)]
  return keys.find((key) => key.length > 0 && areExact(model, key))
}
