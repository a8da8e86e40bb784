import { type Args, type HookCall, isInvalidQuery, omittedFieldsOf } from '../internals.js'
import { claimPlanned, covers, type Claimed } from './claim-rows.js'
import { selecting } from './conditions.js'
import { beginsWithoutLock, takeWriteLock } from './lock-rows.js'
import { listOf, type Row, rowKeyOf } from './literals.js'
import { readsFirst } from './reads-first.js'
import { restricted } from './restricted-write.js'
import { follow } from '../follow.js'
import { hideFields, withFields } from './returned-rows.js'
import { enterCascaded, lookUpAfter } from './rows-after.js'
import { type Outcome, plain, query } from './run-query.js'
import { countUpTo, markAllWritten, markUnclaimed, markWritten, type WriteContext } from './write-context.js'
import type { WritePlan } from './write-plan.js'

/** Runs a write in a transaction, determines the rows that it writes, and marks them written. The caller gets the same result. */
export async function performWrite(context: WriteContext, plan: WritePlan, call: HookCall): Promise<unknown> {
  plan.affected.announceTo(context.unit)
  if (beginsWithoutLock(context.bareClient) && (selectsFirst(plan) || readsFirst(context.planning, call)))
    await takeWriteLock(context, call)
  const claimed = claims(plan) ? await claimPlanned(context, plan) : undefined
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
  for (const lookUp of plan.furtherRows) {
    if (lookUp.when === 'after') await lookUpAfter(context, plan, lookUp, outcome.rows?.[0])
  }
  return outcome.result
}

/** Whether the library selects rows before the query writes. */
function selectsFirst(plan: WritePlan): boolean {
  return claims(plan) || plan.mode === 'restricted' || plan.mode === 'update-returning'
}

/** Whether rows are locked before the query writes. */
function claims({ claim, furtherRows }: WritePlan): boolean {
  return claim !== undefined || furtherRows.some(({ when }) => when === 'before')
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
    const matching = await countUpTo(context, plan.model, where as Args, limit + 1)
    if (matching === undefined || matching > limit) {
      markAllWritten(context, plan.model, matching === undefined ? 'unknown' : 'unbounded')
      return plain(context, call)
    }
  }
  return countReturned(context, plan, call, 'updateManyAndReturn')
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
    if (entering) affected.addJoined(model, known, entering.changed)
  })
}

/** The fields that a written row has to return: its ids, those of the lookups that it enters, and its key if it is found again by it. */
function fieldsOf(
  { planning }: WriteContext,
  { model, idFields, claim, entering, furtherRows }: WritePlan,
): readonly string[] {
  const known = planning.models.get(model)!
  const needsKey = claim !== undefined || furtherRows.length > 0
  const fields = [...idFields, ...(entering?.keyFields ?? []), ...(needsKey ? rowKeyOf(known) : [])]
  return [...new Set(fields.filter((field) => known.scalars.has(field)))]
}
