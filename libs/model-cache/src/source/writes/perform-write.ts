import type { WriteUnit } from '../write-coordinator.js'
import { listOf, type Row } from './literals.js'
import type { Planning } from './plan-write.js'
import {
  type Args,
  findManyIn,
  type HookCall,
  omittedFieldsOf,
  type PrismaTransaction,
} from './prisma-internals.js'
import { follow, hideFields, withFields } from './returned-rows.js'
import { Touched } from './touched.js'
import type { WritePlan } from './write-plan.js'

/** The surroundings of a write that runs in a transaction whose unit is known. */
export interface Scene {
  readonly planning: Planning
  readonly bareClient: object
  readonly transaction: PrismaTransaction
  readonly unit: WriteUnit
}

/** Runs a write in a transaction, finds out which rows it writes, and touches them. What the caller gets is the same. */
export async function performWrite(scene: Scene, plan: WritePlan, call: HookCall): Promise<unknown> {
  plan.touched.announceTo(scene.unit)
  for (const { model, where, reason } of plan.lookUps) {
    const idFields = [...new Set(scene.planning.coordinator.idFieldsOf(model).flat())]
    const rows = await select(scene, model, where, idFields, scene.planning.limit + 1)
    touch(scene, model, (touched) => {
      if (rows) touched.addRows(model, rows, reason)
      else touched.addModel(model, reason)
    })
  }
  switch (plan.mode) {
    case 'plain':
      return query(scene, call, call.args)
    case 'returning':
      return returning(scene, plan, call)
    case 'create-returning':
      return createReturning(scene, plan, call)
    case 'restricted':
      return restricted(scene, plan, call)
  }
}

async function returning(scene: Scene, { model, idFields }: WritePlan, call: HookCall): Promise<unknown> {
  const omitted = omittedFieldsOf(scene.bareClient, model)
  const { args, added } = withFields(call.args, idFields, omitted)
  const result = await query(scene, call, args, { dataPath: [] })
  const rows = listOf(result ?? undefined).filter((row) => typeof row === 'object') as Row[]
  touch(scene, model, (touched) => touched.addRows(model, rows, 'unknown'))
  for (const row of rows) hideFields(row, added)
  return follow(result, call.params.dataPath)
}

async function createReturning(
  scene: Scene,
  { model, idFields }: WritePlan,
  call: HookCall,
): Promise<unknown> {
  const args = { ...call.args, select: Object.fromEntries(idFields.map((field) => [field, true])) }
  const rows = (await query(scene, call, args, { action: 'createManyAndReturn' })) as Row[]
  touch(scene, model, (touched) => touched.addRows(model, rows, 'unknown'))
  return { count: rows.length }
}

/** Selects first, and writes those rows only: so just what is fenced is written. */
async function restricted(scene: Scene, plan: WritePlan, call: HookCall): Promise<unknown> {
  const { model, idFields, changes } = plan
  const { limit, models } = scene.planning
  const { primaryKey } = models.get(model)!
  const key = primaryKey.length > 0 ? primaryKey : idFields
  const { where = {}, limit: most } = call.args
  const take = typeof most === 'number' ? Math.min(most, limit + 1) : limit + 1
  const rows = await select(scene, model, where as Args, [...new Set([...key, ...idFields])], take)
  if (!rows || rows.length > limit) {
    touch(scene, model, (touched) => touched.addModel(model, rows ? 'unbounded' : 'unknown'))
    return query(scene, call, call.args)
  }
  touch(scene, model, (touched) => touched.addChanged(model, rows, changes, 'unknown'))
  return query(scene, call, { ...call.args, where: { AND: [where, among(key, rows)] } })
}

/** Undefined when Prisma refuses the `where`: then it will refuse that of the query, in the caller's words. */
async function select(
  { bareClient, transaction }: Scene,
  model: string,
  where: Args,
  fields: readonly string[],
  take: number,
): Promise<readonly Row[] | undefined> {
  const args = { where, select: Object.fromEntries(fields.map((field) => [field, true])), take }
  try {
    return await findManyIn(bareClient, transaction, model, args)
  } catch (error) {
    // By name: the class differs between clients that were generated apart.
    if (error instanceof Error && error.name === 'PrismaClientValidationError') return undefined
    throw error
  }
}

function query(
  { transaction }: Scene,
  call: HookCall,
  args: Args,
  params: object = {},
): PromiseLike<unknown> {
  return call.query(args, { ...call.params, transaction, ...params })
}

function touch({ planning, unit }: Scene, model: string, add: (touched: Touched) => void): void {
  const touched = new Touched(planning.coordinator, planning.limit)
  add(touched)
  touched.announceTo(unit)
}

function among(key: readonly string[], rows: readonly Row[]): Args {
  const [field, ...others] = key
  if (others.length === 0) return { [field!]: { in: rows.map((row) => row[field!]) } }
  return { OR: rows.map((row) => Object.fromEntries(key.map((name) => [name, row[name]]))) }
}
