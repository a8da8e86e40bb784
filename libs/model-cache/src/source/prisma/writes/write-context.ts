import { AffectedRows } from '../../affected-rows.js'
import type { WriteUnit } from '../../write-coordinator.js'
import { type Args, findManyIn, isInvalidQuery, type PrismaTransaction } from '../internals.js'
import { selecting } from './conditions.js'
import type { Row } from './literals.js'
import type { Planning } from './planning.js'
import type { WritePlan } from './write-plan.js'

/** What a write runs in: a transaction and its write unit. */
export interface WriteContext {
  readonly planning: Planning
  readonly bareClient: object
  readonly transaction: PrismaTransaction
  readonly unit: WriteUnit
}

/** Returns undefined if Prisma refuses the `where`. It will then refuse the query itself, and the caller gets that error. */
export async function select(
  { bareClient, transaction }: WriteContext,
  model: string,
  where: Args,
  fields: readonly string[],
  take: number,
): Promise<readonly Row[] | undefined> {
  try {
    return await findManyIn(bareClient, transaction, model, { where, select: selecting(fields), take })
  } catch (error) {
    if (isInvalidQuery(error)) return undefined
    throw error
  }
}

export function markWritten({ planning, unit }: WriteContext, add: (affected: AffectedRows) => void): void {
  const affected = new AffectedRows(planning.coordinator, planning.limit)
  add(affected)
  affected.announceTo(unit)
}

/** Marks all rows of the models whose rows the plan wanted to claim. */
export function markUnclaimed(context: WriteContext, plan: WritePlan, isUnbounded = false): void {
  const { model, lookUps, claim, mode } = plan
  markWritten(context, (affected) => {
    for (const lookUp of lookUps) {
      if (lookUp.when === 'before') affected.addModel(lookUp.model, isUnbounded ? 'unbounded' : lookUp.reason)
    }
    if (mode === 'restricted' || claim?.changesIds)
      affected.addModel(model, isUnbounded ? 'unbounded' : 'unknown')
  })
}
