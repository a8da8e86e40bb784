import { planRelations } from './plan-relations.js'
import type { KeyPlan, ListPlan, ReadPlan, RowPlan } from './read-plan.js'
import type { ReadPlanning } from './read-planning.js'
import { betterOf, planSelection } from './plan-selection.js'
import { noFields, type Projection } from './projection.js'
import { argumentsOf, type ReadArguments } from './read-arguments.js'
import { type BypassReason, closestOf } from './read-outcome.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import type { ReadableList } from './readable-list.js'
import { idOfUnique, idsOf } from './requested-ids.js'
import { keysOfList } from './requested-list.js'
import type { Selections } from './selections.js'
import { membersOf, type WhereMember } from './where.js'

/** A query of Prisma, as far as plans depend on it. */
export interface PlannableRead {
  readonly model: string
  readonly action: string
  readonly args: unknown
}

/** Plans how caches answer a query, or says why none does. Knows neither clients nor transactions. Never throws. */
export function planRead(query: PlannableRead, planning: ReadPlanning): ReadPlan | BypassReason {
  try {
    return plan(query, planning)
  } catch {
    // An argument that cannot be read. Prisma has its own error for that.
    return 'argument'
  }
}

/** A query with its arguments. */
interface Query {
  readonly action: string
  readonly isUnique: boolean
  readonly args: ReadArguments
  readonly members: readonly WhereMember[]
  /** Undefined for a count. */
  readonly projection: Projection | undefined
}

function plan(
  { action, args: given, model: name }: PlannableRead,
  planning: ReadPlanning,
): ReadPlan | BypassReason {
  const args = argumentsOf(given, planning.isStrict)
  if (typeof args === 'string') return args
  const { cursor, orderBy, relationLoadStrategy, skip, take, where } = args
  const isUnique = action === 'findUnique' || action === 'findUniqueOrThrow'
  if (isUnique && [orderBy, take, skip, cursor].some((value) => value !== undefined)) return 'argument'
  const isComposed = planning.composes(relationLoadStrategy)
  if (isComposed === undefined) return 'argument'
  const { caches, selections } = planning.modelOf(name)!
  const projection = projectionOf(action, args, selections)
  if (typeof projection === 'string') return projection
  if (projection && projection.relations.length > 0 && !isComposed) return 'relations'
  const members = membersOf(where)
  if (!members) return 'condition'
  const query: Query = { action, isUnique, args, members, projection }

  let reason: BypassReason | undefined
  let best: ListPlan | undefined
  for (const readable of caches) {
    for (const key of readable.keys) {
      const found = planKeys(query, { model: name, readable, key }, planning)
      if (typeof found !== 'string') return found
      reason = closestOf(reason, found)
    }
    if (isUnique) continue
    for (const list of readable.lists) {
      const found = planList(query, { model: name, readable, list }, planning)
      if (typeof found === 'string') reason = closestOf(reason, found)
      else best = best ? betterOf(best, found) : found
    }
  }
  return best ?? reason ?? 'condition'
}

function projectionOf(
  action: string,
  { cursor, include, omit, orderBy, select, skip, take }: ReadArguments,
  selections: Selections,
): Projection | BypassReason | undefined {
  if (action !== 'count') return selections.of({ select, include, omit })
  if ([cursor, orderBy, skip, take].some((value) => value !== undefined)) return 'paging'
  return [include, omit, select].some((value) => value !== undefined) ? 'argument' : undefined
}

interface OfKey {
  readonly model: string
  readonly readable: ReadableCache
  readonly key: ReadableKey
}

function planKeys(
  query: Query,
  { key, model, readable }: OfKey,
  planning: ReadPlanning,
): KeyPlan | BypassReason {
  const { action, args, isUnique, members } = query
  const requested = isUnique ? idOfUnique(members, key) : idsOf(members, key)
  if (typeof requested === 'string') return requested
  const { ids, others } = requested
  if (isUnique && !others.every((other) => isOfUnique(other, readable))) return 'condition'
  const selection = planSelection({ action, args, others, readable }, { most: ids.length })
  if (typeof selection === 'string') return selection
  if (ids.length + (selection.test?.values ?? 0) > key.maxKeys) return 'too_many_ids'
  const rows = planRows(query, { model, readable }, planning)
  return typeof rows === 'string' ? rows : { ...rows, selection, key, ids }
}

/** Prisma takes a value of a unique key beside another one, but no operators, and not null. */
function isOfUnique({ condition, isOutermost, name }: WhereMember, { uniqueNames }: ReadableCache): boolean {
  if (!isOutermost || !uniqueNames.has(name)) return true
  return condition !== null && (typeof condition !== 'object' || condition instanceof Date)
}

interface OfList {
  readonly model: string
  readonly readable: ReadableCache
  readonly list: ReadableList
}

function planList(
  query: Query,
  { list, model, readable }: OfList,
  planning: ReadPlanning,
): ListPlan | BypassReason {
  const { action, args, members } = query
  const requested = keysOfList(members, list)
  if (typeof requested === 'string') return requested
  const { keys, others } = requested
  if (keys.length > readable.id.maxKeys) return 'too_many_ids'
  const selection = planSelection({ action, args, others, readable }, { list, isOneList: keys.length === 1 })
  if (typeof selection === 'string') return selection
  if (keys.length + (selection.test?.values ?? 0) > readable.id.maxKeys) return 'too_many_ids'
  const rows = planRows(query, { model, readable }, planning)
  return typeof rows === 'string' ? rows : { ...rows, selection, list, listKeys: keys }
}

/** What a result has of each row. */
function planRows(
  { args, projection = noFields }: Pick<Query, 'args' | 'projection'>,
  { model, readable }: { readonly model: string; readonly readable: ReadableCache },
  planning: ReadPlanning,
): Omit<RowPlan, 'selection'> | BypassReason {
  const project = projection.of(readable)
  if (!project) return 'fields'
  const related = planRelations({ args, model, projection, readable }, planning)
  return typeof related === 'string' ? related : { readable, project, projection, related }
}
