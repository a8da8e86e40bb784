import type { Model } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import { isPlainlyNested, keysIn, primaryKeyTextOf, whereOf } from './conditions.js'
import type { Row } from './literals.js'
import { lockRows } from './lock-rows.js'
import { markUnclaimed, markWritten, select, type WriteContext } from './write-context.js'
import type { LookUp, WritePlan } from './write-plan.js'

/** Why rows cannot be claimed: there are more than the limit, or they cannot be determined. */
type Refusal = 'unbounded' | 'unknown'

/** The rows that a write changes, and those that the database changes with them. They are locked until its transaction ends. */
export interface Claimed {
  readonly rows: readonly Row[]
  readonly cascaded: readonly CascadedRows[]
}

export interface CascadedRows {
  readonly lookUp: LookUp
  readonly rows: readonly Row[]
}

/** How often rows are selected again because new ones match, before they count as unknown. */
const claimRounds = 4

/** Locks the rows that the query is about to write and the rows that the database changes with them, and marks them written. */
export async function claimPlanned(context: WriteContext, plan: WritePlan): Promise<Claimed | undefined> {
  const { models } = context.planning
  const { where, pinned, changesIds } = plan.claim!
  const model = models.get(plan.model)!
  // A restricted write shows afterwards whether it has written the locked rows.
  const mustMatch = plan.mode !== 'restricted'
  const rows =
    pinned && !changesIds
      ? await lockPinned(context, model, pinned)
      : await claim(context, model, where, mustMatch)
  const cascaded = typeof rows === 'string' ? rows : await claimAffected(context, plan, model, rows)
  if (typeof rows === 'string' || typeof cascaded === 'string') {
    markUnclaimed(context, plan, cascaded === 'unbounded')
    return undefined
  }
  if (changesIds) markWritten(context, (affected) => affected.addRows(plan.model, rows, 'unknown'))
  return { rows, cascaded }
}

/** Claims cascaded rows level by level, so that no row can be added below a locked one. */
async function claimAffected(
  context: WriteContext,
  plan: WritePlan,
  { primaryKey }: Model,
  rows: readonly Row[],
): Promise<readonly CascadedRows[] | Refusal> {
  const { where, isSelfContained } = plan.claim!
  const keys = keysIn(context.planning, primaryKey, rows)
  // The rows that match are the locked ones, or `covers` finds out that they are not.
  const parents = keys.length > 1 && isSelfContained && isPlainlyNested(where) ? [where] : keys
  const cascaded: CascadedRows[] = []
  for (const lookUp of rows.length > 0 ? plan.furtherRows : []) {
    const { model, when, path, reason } = lookUp
    if (when === 'after') continue
    for (const parent of parents) {
      const target = context.planning.models.get(model)!
      const affected = await claim(context, target, whereOf(path, parent), false)
      if (typeof affected === 'string') return affected
      markWritten(context, (written) => written.addRows(model, affected, reason))
      cascaded.push({ lookUp, rows: affected })
    }
  }
  return cascaded
}

async function lockPinned(
  { bareClient, transaction }: WriteContext,
  model: Model,
  row: Row,
): Promise<readonly Row[] | Refusal> {
  const locked = await lockRows(bareClient, transaction, model, [row])
  return locked === undefined ? 'unknown' : [row].slice(0, locked)
}

/**
 * Locks the matching rows and selects again until all that match are locked. From then on they do not change.
 *
 * @param mustMatch whether the rows have to match once they are locked; otherwise it is enough that they have the same ids
 */
async function claim(
  context: WriteContext,
  model: Model,
  where: Args,
  mustMatch: boolean,
): Promise<readonly Row[] | Refusal> {
  const { bareClient, planning, transaction } = context
  const ids = planning.coordinator.idFieldsOf(model.name).flat()
  const known = ids.filter((field) => model.scalars.has(field))
  const fields = [...new Set([...model.primaryKey, ...known])]
  const holdsIds = fields.length === model.primaryKey.length
  const locked = new Set<string>()
  for (let round = 0; round < claimRounds; round++) {
    const rows = await select(context, model.name, where, fields, planning.limit + 1)
    if (!rows) return 'unknown'
    if (rows.length > planning.limit) return 'unbounded'
    const fresh = rows.filter((row) => !locked.has(primaryKeyTextOf(model, row)))
    if (fresh.length === 0) return rows
    const count = await lockRows(bareClient, transaction, model, fresh)
    if (count === undefined) return 'unknown'
    if (!mustMatch && holdsIds && count === rows.length) return rows
    for (const row of fresh) locked.add(primaryKeyTextOf(model, row))
  }
  return 'unknown'
}

/** Whether all written rows are among the rows that were locked before. */
export function covers(
  { planning }: WriteContext,
  { model: name, changes, claim }: WritePlan,
  operation: string,
  claimed: readonly Row[],
  rows: readonly Row[] | undefined,
): boolean {
  // `restricted` checks this itself.
  if (operation === 'deleteMany') return true
  // A single row is the locked one, and it still matches.
  if (!operation.startsWith('updateMany')) return claimed.length > 0
  if (!rows) return false
  const model = planning.models.get(name)!
  if (model.primaryKey.some((field) => field in changes)) {
    return claim!.isSelfContained && rows.length === claimed.length
  }
  const keys = new Set(claimed.map((row) => primaryKeyTextOf(model, row)))
  return rows.every((row) => keys.has(primaryKeyTextOf(model, row)))
}
