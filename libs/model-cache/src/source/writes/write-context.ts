import type { WriteUnit } from '../write-coordinator.js'
import type { Model } from './data-model.js'
import type { Row } from './literals.js'
import type { Planning } from './plan-write.js'
import { type Args, findManyIn, type PrismaTransaction } from './prisma-internals.js'
import { AffectedRows } from './affected-rows.js'
import type { WritePlan } from './write-plan.js'

/** What a write runs in: a transaction whose unit is known. */
export interface WriteContext {
  readonly planning: Planning
  readonly bareClient: object
  readonly transaction: PrismaTransaction
  readonly unit: WriteUnit
}

/** Undefined when Prisma refuses the `where`: then it will refuse that of the query, in the caller's words. */
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
    if (isRefusal(error)) return undefined
    throw error
  }
}

export function markWritten({ planning, unit }: WriteContext, add: (affected: AffectedRows) => void): void {
  const affected = new AffectedRows(planning.coordinator, planning.limit)
  add(affected)
  affected.announceTo(unit)
}

/** Touches as a whole what was to be claimed. */
export function touchUnclaimed(context: WriteContext, plan: WritePlan, isUnbounded = false): void {
  const { model, lookUps, claim, mode } = plan
  markWritten(context, (affected) => {
    for (const lookUp of lookUps) {
      if (lookUp.when === 'before') affected.addModel(lookUp.model, isUnbounded ? 'unbounded' : lookUp.reason)
    }
    if (mode === 'restricted' || claim?.changesIds)
      affected.addModel(model, isUnbounded ? 'unbounded' : 'unknown')
  })
}

/** Keys that one query names at most: Prisma takes its time for each that has several fields. */
const keysOfQuery = { single: 1_000, compound: 50 }

/** Conditions for rows by their keys, each small enough for one query. Rows without a key are left out. */
export function keysIn(key: readonly string[], rows: readonly Row[]): readonly Args[] {
  const held = rows.filter((row) => key.every((field) => row[field] !== null))
  const [field, ...others] = key
  const size = others.length === 0 ? keysOfQuery.single : keysOfQuery.compound
  return Array.from({ length: Math.ceil(held.length / size) }, (_, index) => {
    const part = held.slice(index * size, (index + 1) * size)
    if (others.length === 0) return { [field!]: { in: part.map((row) => row[field!]) } }
    return { OR: part.map((row) => Object.fromEntries(key.map((name) => [name, row[name]]))) }
  })
}

/** The primary key as text, for comparison. */
export function keyTextOf({ primaryKey }: Model, row: Row): string {
  return JSON.stringify(
    primaryKey.map((field) => {
      const value = row[field]
      return value instanceof Date ? value.getTime() : String(value)
    }),
  )
}

export function selecting(fields: readonly string[]): Record<string, true> {
  return Object.fromEntries(fields.map((field) => [field, true]))
}

/** Whether Prisma finds a query invalid: then it has not reached the database. */
export function isRefusal(error: unknown): boolean {
  // By name: the class differs between clients that were generated apart.
  return error instanceof Error && error.name === 'PrismaClientValidationError'
}
