import { AffectedRows } from '../../affected-rows.js'
import type { WriteUnit } from '../../write-coordinator.js'
import { type Args, countIn, findManyIn, isInvalidQuery, type PrismaTransaction } from '../internals.js'
import { lockingRead } from '../locking-reads.js'
import { selecting } from './conditions.js'
import type { Row } from './literals.js'
import type { WritePlanning } from './planning.js'
import { isDenied } from './write-end.js'
import type { WritePlan } from './write-plan.js'

/** What a write runs in: a transaction and its write unit. */
export interface WriteContext {
  readonly planning: WritePlanning
  readonly bareClient: object
  readonly transaction: PrismaTransaction
  readonly unit: WriteUnit
  /** Whether reads may see an older state than writes do: MySQL's in a transaction that keeps its first snapshot. */
  readonly mayReadSnapshot: boolean
}

/** Returns undefined if Prisma refuses the `where`. It will then refuse the query itself, and the caller gets that error. */
export function select(
  { bareClient, transaction }: WriteContext,
  model: string,
  where: Args,
  fields: readonly string[],
  take: number,
): Promise<readonly Row[] | undefined> {
  const args = { where, select: selecting(fields), take }
  return unlessRefused(() => findManyIn(bareClient, transaction, model, args))
}

/**
 * As {@link select}, and locks the rows until the transaction ends, so that nobody changes them or adds rows that refer to them. Sees what
 * was committed last. Also undefined if rows cannot be locked.
 */
export async function selectLocked(
  ...[context, ...rest]: Parameters<typeof select>
): Promise<readonly Row[] | undefined> {
  try {
    return await lockingRead(() => select(context, ...rest))
  } catch (error) {
    if (isDenied(error)) return undefined
    throw error
  }
}

/** Counts matching rows, up to a limit. Returns undefined as {@link select} does. */
export function countUpTo(
  { bareClient, transaction }: WriteContext,
  model: string,
  where: Args,
  take: number,
): Promise<number | undefined> {
  return unlessRefused(() => countIn(bareClient, transaction, model, { where, take }))
}

async function unlessRefused<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send()
  } catch (error) {
    if (isInvalidQuery(error)) return undefined
    throw error
  }
}

export function markAllWritten(context: WriteContext, model: string, reason: 'unbounded' | 'unknown'): void {
  markWritten(context, (affected) => affected.addModel(model, reason))
}

export function markWritten({ planning, unit }: WriteContext, add: (affected: AffectedRows) => void): void {
  const affected = new AffectedRows(planning.coordinator, planning.limit)
  add(affected)
  affected.announceTo(unit)
}

/** Marks all rows of the models whose rows the plan wanted to claim. */
export function markUnclaimed(context: WriteContext, plan: WritePlan, isUnbounded = false): void {
  const { model, furtherRows, claim, mode } = plan
  markWritten(context, (affected) => {
    for (const lookUp of furtherRows) {
      if (lookUp.when === 'before') affected.addModel(lookUp.model, isUnbounded ? 'unbounded' : lookUp.reason)
    }
    if (mode === 'restricted' || claim?.showsIds)
      affected.addModel(model, isUnbounded ? 'unbounded' : 'unknown')
  })
}
