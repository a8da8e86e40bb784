import { type Change, passedOn, type RelationPath } from '../../referential-actions.js'
import type { Model } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import { isPlainlyNested, rowKeyTextOf, keysIn, whereOf } from './conditions.js'
import { type Row, rowKeyOf } from './literals.js'
import { hasLockingReads } from '../locking-reads.js'
import { lockRows } from './lock-rows.js'
import { lookUpOf, showsNewIds } from './plan-cascades.js'
import { markUnclaimed, markWritten, select, selectLocked, type WriteContext } from './write-context.js'
import type { Claim, LookUp, WritePlan } from './write-plan.js'

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

/**
 * Locks the rows that the query is about to write and the rows that are changed with them, and marks them written. Returns undefined if
 * they cannot be determined; then all rows of their models are marked.
 */
export async function claimPlanned(context: WriteContext, plan: WritePlan): Promise<Claimed | undefined> {
  const rows = plan.claim ? await claimOwn(context, plan, plan.claim) : []
  const cascaded = typeof rows === 'string' ? rows : await claimFurther(context, plan, rows)
  if (typeof rows === 'string' || typeof cascaded === 'string') {
    markUnclaimed(context, plan, cascaded === 'unbounded')
    return undefined
  }
  // A restricted write marks them itself.
  if (plan.claim?.showsIds && plan.mode !== 'restricted')
    markWritten(context, (affected) => affected.addRows(plan.model, rows, 'unknown'))
  return { rows, cascaded }
}

function claimOwn(
  context: WriteContext,
  plan: WritePlan,
  { pinned, showsIds, where }: Claim,
): Promise<readonly Row[] | Refusal> {
  const model = context.planning.models.get(plan.model)!
  if (pinned && !showsIds) return lockPinned(context, model, pinned)
  // A restricted write shows afterwards whether it has written the locked rows.
  return claim(context, model, where, plan.mode !== 'restricted')
}

async function claimFurther(
  context: WriteContext,
  plan: WritePlan,
  rows: readonly Row[],
): Promise<readonly CascadedRows[] | Refusal> {
  const cascaded: CascadedRows[] = []
  const parents = plan.claim && rows.length > 0 ? parentsOf(context, plan, plan.claim, rows) : []
  const absent = new Set<Args | undefined>()
  // Level by level, so that no row can be added below a locked one.
  for (const lookUp of plan.furtherRows) {
    const { from, model, path, reason, when } = lookUp
    // Generations begin with the rows of these.
    if (when === 'after' || (plan.claim?.circular && reason === 'cascade' && !from)) continue
    for (const where of from ? [whereOf(path, from)] : wheresOf(context, path, rows, parents)) {
      const found = absent.has(from) ? [] : await claimRows(context, lookUp, where)
      if (typeof found === 'string') return found
      // Somebody may be creating the row that the query names.
      if (path.length === 0 && found.length === 0) absent.add(from)
      if (absent.has(from)) markWritten(context, (written) => written.addModel(model, reason))
      else cascaded.push({ lookUp, rows: found })
    }
  }
  const { circular } = plan.claim ?? {}
  const below = circular ? await claimGenerations(context, plan, circular, rows) : []
  return typeof below === 'string' ? below : [...cascaded, ...below]
}

/** Conditions for the rows that the query writes itself. */
function parentsOf(
  { planning }: WriteContext,
  { model }: WritePlan,
  { isSelfContained, where }: Claim,
  rows: readonly Row[],
): readonly Args[] {
  const keys = keysIn(planning, rowKeyOf(planning.models.get(model)!), rows)
  // The rows that match are the locked ones, or `covers` finds out that they are not.
  return keys.length > 1 && isSelfContained && isPlainlyNested(where) ? [where] : keys
}

/**
 * Conditions for the rows at the start of a path.
 *
 * @param parents conditions for the `rows` at its end
 */
function wheresOf(
  { planning }: WriteContext,
  path: RelationPath,
  rows: readonly Row[],
  parents: readonly Args[],
): readonly Args[] {
  const { hidden } = path.at(-1) ?? {}
  if (!hidden) return parents.map((parent) => whereOf(path, parent))
  const { fields, references } = hidden.relation
  const keys = rows.map((row) =>
    Object.fromEntries(fields.map((field, index) => [field, row[references[index]!]])),
  )
  return keysIn(planning, fields, keys).map((key) => whereOf(path.slice(0, -1), key))
}

/** Claims cascaded rows generation by generation, where a relation leads back to a model above. */
async function claimGenerations(
  context: WriteContext,
  plan: WritePlan,
  circular: Change,
  first: readonly Row[],
): Promise<readonly CascadedRows[] | Refusal> {
  const { limit, models } = context.planning
  const planned = new Set(plan.furtherRows.map(({ model }) => model))
  const cascaded: CascadedRows[] = []
  const known = new Set<string>()
  const generations: { model: string; change: Change; rows: readonly Row[] }[] = [
    { model: plan.model, change: circular, rows: first },
  ]
  // Iterating a list also visits what is added meanwhile.
  for (const { change, model, rows } of generations) {
    const parents = keysIn(context.planning, rowKeyOf(models.get(model)!), rows)
    for (const passed of passedOn(models, model, change)) {
      if (!planned.has(passed.child.model)) continue
      const lookUp = lookUpOf(passed)
      const key = rowKeyOf(models.get(lookUp.model)!)
      for (const where of wheresOf(context, lookUp.path, rows, parents)) {
        const found = await claimRows(context, lookUp, where)
        if (typeof found === 'string') return found
        const textOf = (row: Row): string =>
          `${lookUp.model} ${lookUp.change === 'deleted'} ${rowKeyTextOf(key, row)}`
        const fresh = found.filter((row) => !known.has(textOf(row)))
        for (const row of fresh) known.add(textOf(row))
        if (known.size > limit) return 'unbounded'
        if (fresh.length === 0) continue
        cascaded.push({ lookUp, rows: fresh })
        generations.push({ model: lookUp.model, change: lookUp.change!, rows: fresh })
      }
    }
  }
  return cascaded
}

/** Claims rows that are changed with others, and marks them written. */
async function claimRows(
  context: WriteContext,
  lookUp: LookUp,
  where: Args,
): Promise<readonly Row[] | Refusal> {
  const { after, from, model, path, reason } = lookUp
  // What a list holds is a query within the query, which locks nothing and reads the snapshot.
  if (context.mayReadSnapshot && path.some(({ isList }) => isList)) return 'unknown'
  const isOfDatabase = reason === 'cascade' && !from
  const found = await claim(context, context.planning.models.get(model)!, where, false, isOfDatabase)
  const isShown = showsNewIds(context.planning.coordinator, lookUp)
  if (typeof found !== 'string')
    markWritten(context, (written) => written.addChanged(model, found, isShown ? after : {}, reason))
  return found
}

async function lockPinned(context: WriteContext, model: Model, row: Row): Promise<readonly Row[] | Refusal> {
  const locked = await lockRows(context, model, [row])
  return locked === undefined ? 'unknown' : [row].slice(0, locked)
}

/**
 * Locks the matching rows and selects again until all that match are locked. From then on they do not change.
 *
 * @param mustMatch whether the rows have to match once they are locked; otherwise it is enough that they have the same ids
 * @param isOfDatabase whether the database finds the rows itself. @default Prisma does, perhaps in a snapshot
 */
async function claim(
  context: WriteContext,
  model: Model,
  where: Args,
  mustMatch: boolean,
  isOfDatabase = false,
): Promise<readonly Row[] | Refusal> {
  const { bareClient, planning } = context
  const ids = planning.coordinator.idFieldsOf(model.name).flat()
  const known = ids.filter((field) => model.scalars.has(field))
  const key = rowKeyOf(model)
  const fields = [...new Set([...key, ...known])]
  if (hasLockingReads(bareClient)) return claimByReading(context, model, where, fields, isOfDatabase)
  const holdsIds = fields.length === key.length
  const locked = new Set<string>()
  for (let round = 0; round < claimRounds; round++) {
    const rows = await select(context, model.name, where, fields, planning.limit + 1)
    if (!rows) return 'unknown'
    if (rows.length > planning.limit) return 'unbounded'
    const fresh = rows.filter((row) => !locked.has(rowKeyTextOf(key, row)))
    if (fresh.length === 0) return rows
    const count = await lockRows(context, model, fresh)
    if (count === undefined) return 'unknown'
    if (!mustMatch && holdsIds && count === rows.length) return rows
    for (const row of fresh) locked.add(rowKeyTextOf(key, row))
  }
  return 'unknown'
}

/** As {@link claim}, where one SELECT finds and locks the rows. */
async function claimByReading(
  context: WriteContext,
  model: Model,
  where: Args,
  fields: readonly string[],
  isOfDatabase: boolean,
): Promise<readonly Row[] | Refusal> {
  const take = context.planning.limit + 1
  const rows = await selectLocked(context, model.name, where, fields, take)
  if (!rows) return 'unknown'
  if (rows.length === take) return 'unbounded'
  if (isOfDatabase || !context.mayReadSnapshot) return rows
  // Prisma finds the rows of nested writes by reads of its own, and writes these by their keys.
  const seen = (await select(context, model.name, where, fields, take)) ?? []
  const key = rowKeyOf(model)
  const locked = new Set(rows.map((row) => rowKeyTextOf(key, row)))
  return seen.every((row) => locked.has(rowKeyTextOf(key, row))) ? rows : 'unknown'
}

/** Whether all written rows are among the rows that were locked before. */
export function covers(
  { planning }: WriteContext,
  { model: name, changes, claim, mode }: WritePlan,
  operation: string,
  claimed: readonly Row[],
  rows: readonly Row[] | undefined,
): boolean {
  // `restricted` checks this itself.
  if (mode === 'restricted') return true
  if (!claim) return true
  // A single row is the locked one, and it still matches.
  if (!operation.startsWith('updateMany')) return claimed.length > 0
  if (!rows) return false
  const key = rowKeyOf(planning.models.get(name)!)
  if (key.some((field) => field in changes)) {
    return claim.isSelfContained && rows.length === claimed.length
  }
  const keys = new Set(claimed.map((row) => rowKeyTextOf(key, row)))
  return rows.every((row) => keys.has(rowKeyTextOf(key, row)))
}
