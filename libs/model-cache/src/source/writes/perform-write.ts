import type { TouchAllReason, WriteUnit } from '../write-coordinator.js'
import type { Model } from './data-model.js'
import { areExact, listOf, type Row } from './literals.js'
import { lockRows } from './lock-rows.js'
import type { Planning } from './plan-write.js'
import {
  type Args,
  findManyIn,
  type HookCall,
  omittedFieldsOf,
  type PrismaTransaction,
} from './prisma-internals.js'
import { type Path, whereOf } from './referential-actions.js'
import { follow, hideFields, withFields } from './returned-rows.js'
import { Touched } from './touched.js'
import type { LookUp, WritePlan } from './write-plan.js'

/** What a write runs in: a transaction whose unit is known. */
export interface WriteContext {
  readonly planning: Planning
  readonly bareClient: object
  readonly transaction: PrismaTransaction
  readonly unit: WriteUnit
}

/** What the caller gets, and the rows that were written, as far as the database has told. */
interface Outcome {
  readonly result: unknown
  readonly rows?: readonly Row[]
}

/** Keys that one query names at most: Prisma takes its time for each that has several fields. */
const keysOfQuery = { single: 1_000, compound: 100 }

/** Runs a write in a transaction, determines which rows it writes, and touches them. The caller gets the same result. */
export async function performWrite(context: WriteContext, plan: WritePlan, call: HookCall): Promise<unknown> {
  plan.touched.announceTo(context.unit)
  const claimed = plan.claim && (await claimPlanned(context, plan))
  const outcome = await run(context, plan, call, claimed)
  if (claimed && !covers(context, plan, call, claimed, outcome)) touchUnclaimed(context, plan)
  const written = outcome.rows?.[0]
  for (const lookUp of plan.lookUps) {
    if (lookUp.when === 'after' && written) await lookUpAfter(context, plan, lookUp, written)
  }
  return outcome.result
}

function run(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  claimed: readonly Row[] | undefined,
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
  const { args, added } = withFields(call.args, fieldsOf(context, plan), omitted)
  const result = await query(context, call, args, { dataPath: [] })
  const rows = listOf(result ?? undefined).filter((row) => typeof row === 'object') as Row[]
  touchWritten(context, plan, call, rows)
  for (const row of rows) hideFields(row, added)
  return { result: follow(result, call.params.dataPath), rows }
}

/** Runs a bulk write as the one that returns its rows, and counts them. */
async function countReturned(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  action: string,
): Promise<Outcome> {
  const args = { ...call.args, select: selecting(fieldsOf(context, plan)) }
  const rows = (await query(context, call, args, { action })) as Row[]
  touchWritten(context, plan, call, rows)
  return { result: { count: rows.length }, rows }
}

/** Has the database return the rows, unless there are so many that they count as all. */
async function updateReturning(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  claimed: readonly Row[] | undefined,
): Promise<Outcome> {
  const { limit } = context.planning
  const { where = {}, limit: most } = call.args
  const isBounded = claimed !== undefined || (typeof most === 'number' && most <= limit)
  if (!isBounded) {
    const rows = await select(context, plan.model, where as Args, fieldsOf(context, plan), limit + 1)
    if (!rows || rows.length > limit) {
      touchAll(context, plan.model, rows ? 'unbounded' : 'unknown')
      return plain(context, call)
    }
  }
  return countReturned(context, plan, call, 'updateManyAndReturn')
}

/**
 * Writes the rows that were selected before, and then those that match besides: there are none, unless they began to
 * match in between, or cannot be found by their keys.
 */
async function restricted(
  context: WriteContext,
  plan: WritePlan,
  call: HookCall,
  claimed: readonly Row[] | undefined,
): Promise<Outcome> {
  const { model, changes } = plan
  const { limit, models } = context.planning
  const { where = {}, limit: most } = call.args
  const key = exactKeyOf(context, models.get(model)!)
  const take = typeof most === 'number' && most >= 0 ? Math.min(most, limit + 1) : limit + 1
  const fields = [...new Set([...(key ?? []), ...plan.idFields])]
  const rows = claimed ?? (key && (await select(context, model, where as Args, fields, take)))
  if (!key || !rows || rows.length > limit) {
    touchAll(context, model, rows && rows.length > limit ? 'unbounded' : 'unknown')
    return plain(context, call)
  }
  touch(context, (touched) => touched.addChanged(model, rows, changes, 'unknown'))
  let count = 0
  const left = (): object => (typeof most === 'number' ? { limit: most - count } : {})
  const write = async (condition: unknown): Promise<number> => {
    if (typeof most === 'number' && most > 0 && most <= count) return 0
    const written = await query(context, call, { ...call.args, where: condition, ...left() })
    return (written as { count: number }).count
  }
  const keys = keysIn(key, rows)
  for (const among of keys) count += await write({ AND: [where, among] })
  // What was deleted does not match again; what was updated may.
  const others = call.operation === 'deleteMany' ? where : { AND: [where, { NOT: { OR: keys } }] }
  const besides = await write(others)
  if (besides > 0) touchUnclaimed(context, plan)
  return { result: { count: count + besides } }
}

/** Locks the rows that the query is about to write, and what the database will change with them, and touches them. */
async function claimPlanned(context: WriteContext, plan: WritePlan): Promise<readonly Row[] | undefined> {
  const { models } = context.planning
  const { where, pinned, changesIds } = plan.claim!
  const model = models.get(plan.model)!
  const rows =
    pinned && !changesIds ? await lockPinned(context, model, pinned) : await claim(context, model, where)
  const reason = typeof rows === 'string' ? rows : await claimAffected(context, plan, model, rows)
  if (typeof rows === 'string' || reason) {
    touchUnclaimed(context, plan, reason)
    return undefined
  }
  if (changesIds) touch(context, (touched) => touched.addRows(plan.model, rows, 'unknown'))
  return rows
}

/** Level by level, so that no row can be added below one that is locked. Returns the reason why that cannot be done. */
async function claimAffected(
  context: WriteContext,
  plan: WritePlan,
  { primaryKey }: Model,
  rows: readonly Row[],
): Promise<TouchAllReason | undefined> {
  for (const { model, when, path, reason } of rows.length > 0 ? plan.lookUps : []) {
    if (when === 'after') continue
    for (const keys of keysIn(primaryKey, rows)) {
      const affected = await claim(context, context.planning.models.get(model)!, whereOf(path, keys))
      if (typeof affected === 'string') return affected === 'unknown' ? reason : affected
      touch(context, (touched) => touched.addRows(model, affected, reason))
    }
  }
  return undefined
}

async function lockPinned(
  { bareClient, transaction }: WriteContext,
  model: Model,
  row: Row,
): Promise<readonly Row[] | TouchAllReason> {
  const locked = await lockRows(bareClient, transaction, model, [row])
  return locked === undefined ? 'unknown' : [row].slice(0, locked)
}

/**
 * Locks the rows that match, and selects them until all that match are locked: then they stay what they are. Returns a
 * reason where they are more than the limit, or cannot be locked.
 */
async function claim(
  context: WriteContext,
  model: Model,
  where: Args,
): Promise<readonly Row[] | TouchAllReason> {
  const { bareClient, planning, transaction } = context
  const ids = planning.coordinator.idFieldsOf(model.name).flat()
  const fields = [...new Set([...model.primaryKey, ...ids])]
  const locked = new Set<string>()
  for (let round = 0; round < roundsOfClaim; round++) {
    const rows = await select(context, model.name, where, fields, planning.limit + 1)
    if (!rows) return 'unknown'
    if (rows.length > planning.limit) return 'unbounded'
    const fresh = rows.filter((row) => !locked.has(keyTextOf(model, row)))
    if (fresh.length === 0) return rows
    if ((await lockRows(bareClient, transaction, model, fresh)) === undefined) return 'unknown'
    for (const row of fresh) locked.add(keyTextOf(model, row))
  }
  return 'unknown'
}

/** Selections of rows that go on to be joined by others, before they count as unknown. */
const roundsOfClaim = 4

/** Whether all rows that were written are among those that were locked before. */
function covers(
  { planning }: WriteContext,
  { model: name, changes, claim }: WritePlan,
  { operation }: HookCall,
  claimed: readonly Row[],
  { rows }: Outcome,
): boolean {
  // That of many found out itself.
  if (operation === 'deleteMany') return true
  // A single row is the locked one, which still matches.
  if (!operation.startsWith('updateMany')) return claimed.length > 0
  const model = planning.models.get(name)!
  if (model.primaryKey.some((field) => field in changes)) {
    return claim!.isSelfContained && rows!.length === claimed.length
  }
  const keys = new Set(claimed.map((row) => keyTextOf(model, row)))
  return rows!.every((row) => keys.has(keyTextOf(model, row)))
}

/** Touches as a whole what was to be claimed. */
function touchUnclaimed(context: WriteContext, plan: WritePlan, reason?: TouchAllReason): void {
  const { model, lookUps, claim, mode } = plan
  touch(context, (touched) => {
    for (const lookUp of lookUps) {
      if (lookUp.when === 'before') touched.addModel(lookUp.model, reason ?? lookUp.reason)
    }
    if (mode === 'restricted' || claim?.changesIds) touched.addModel(model, reason ?? 'unknown')
  })
}

/** Touches what nested writes have created, or connected, and whatever else they find at its place. */
async function lookUpAfter(
  context: WriteContext,
  plan: WritePlan,
  { model, path, reason, areNew }: LookUp,
  written: Row,
): Promise<void> {
  const { planning } = context
  const [keys] = keysIn(planning.models.get(plan.model)!.primaryKey, [written])
  const idFields = [...new Set(planning.coordinator.idFieldsOf(model).flat())]
  const rows = await select(context, model, whereOf(path, keys!), idFields, planning.limit + 1)
  touch(context, (touched) => {
    if (rows && rows.length <= planning.limit) touched.addRows(model, rows, reason)
    else if (areNew) touched.addCreated(model, [{}], reason)
    else touched.addModel(model, reason)
  })
}

/** Undefined when Prisma refuses the `where`: then it will refuse that of the query, in the caller's words. */
async function select(
  { bareClient, transaction }: WriteContext,
  model: string,
  where: Args,
  fields: readonly string[],
  take: number,
): Promise<readonly Row[] | undefined> {
  try {
    return await findManyIn(bareClient, transaction, model, { where, select: selecting(fields), take })
  } catch (error) {
    // By name: the class differs between clients that were generated apart.
    if (error instanceof Error && error.name === 'PrismaClientValidationError') return undefined
    throw error
  }
}

function query(
  { transaction }: WriteContext,
  call: HookCall,
  args: Args,
  params: object = {},
): PromiseLike<unknown> {
  return call.query(args, { ...call.params, transaction, ...params })
}

function touchWritten(
  context: WriteContext,
  { model }: WritePlan,
  { operation }: HookCall,
  rows: readonly Row[],
): void {
  touch(context, (touched) => {
    if (operation.startsWith('create')) touched.addCreated(model, rows, 'unknown')
    else touched.addRows(model, rows, 'unknown')
  })
}

function touchAll(context: WriteContext, model: string, reason: 'unbounded' | 'unknown'): void {
  touch(context, (touched) => touched.addModel(model, reason))
}

function touch({ planning, unit }: WriteContext, add: (touched: Touched) => void): void {
  const touched = new Touched(planning.coordinator, planning.limit)
  add(touched)
  touched.announceTo(unit)
}

/** The fields that have to be known of a written row: its ids, and its key where it is compared or looked up. */
function fieldsOf(
  { planning }: WriteContext,
  { model, idFields, claim, lookUps }: WritePlan,
): readonly string[] {
  const known = planning.models.get(model)!
  const needsKey = claim !== undefined || lookUps.length > 0 || idFields.length === 0
  const fields = [...idFields, ...(needsKey ? known.primaryKey : [])]
  return [...new Set(fields.filter((field) => known.scalars.has(field)))]
}

/** Fields that find a row again: the primary key, or else the id of a cache. */
function exactKeyOf({ planning }: WriteContext, model: Model): readonly string[] | undefined {
  const keys = [model.primaryKey, ...planning.coordinator.idFieldsOf(model.name)]
  return keys.find((key) => key.length > 0 && areExact(model, key))
}

/** Conditions for rows by their keys, each small enough for one query. Rows without a key are left out. */
function keysIn(key: readonly string[], rows: readonly Row[]): readonly Args[] {
  const held = rows.filter((row) => key.every((field) => row[field] !== null))
  const [field, ...others] = key
  const size = others.length === 0 ? keysOfQuery.single : keysOfQuery.compound
  return Array.from({ length: Math.ceil(held.length / size) }, (_, index) => {
    const part = held.slice(index * size, (index + 1) * size)
    if (others.length === 0) return { [field!]: { in: part.map((row) => row[field!]) } }
    return { OR: part.map((row) => Object.fromEntries(key.map((name) => [name, row[name]]))) }
  })
}

function selecting(fields: readonly string[]): Record<string, true> {
  return Object.fromEntries(fields.map((field) => [field, true]))
}

/** The primary key as text, for comparison. */
function keyTextOf({ primaryKey }: Model, row: Row): string {
  return JSON.stringify(
    primaryKey.map((field) => {
      const value = row[field]
      return value instanceof Date ? value.getTime() : String(value)
    }),
  )
}
