import type { Relation } from '../../schema-facts.js'
import { conditionsOn, planKeyOf, planListOf, singleOf } from './plan-related.js'
import { planRelations } from './plan-relations.js'
import type { KeyPlan, LinkedPlan, ListPlan, ReadPlan, RowPlan } from './read-plan.js'
import type { ReadPlanning } from './read-planning.js'
import {
  betterOf,
  costsOfPart,
  planSelection,
  type RowOrigin,
  type SelectionRequest,
} from './plan-selection.js'
import { noFields, type Projection } from './projection.js'
import { argumentsOf, noArguments, type ReadArguments } from './read-arguments.js'
import { type BypassReason, closestOf } from './read-outcome.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import type { ReadableList } from './readable-list.js'
import { idOfUnique, idsOf, membersWithout } from './requested-ids.js'
import { keysOfList } from './requested-list.js'
import { allRows, type RowSelection } from './row-selection.js'
import type { Selections } from './selections.js'
import { membersOf, membersOfOperator, type WhereMember } from './where.js'

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
  readonly projection: Projection
  /** Whether rows of several caches may make up the result. */
  readonly isComposed: boolean
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
  const projection = projectionOf(action, args, planning.modelOf(name)!.selections)
  if (typeof projection === 'string') return projection
  if (projection.relations.length > 0 && !isComposed) return 'relations'
  const members = membersOf(where)
  if (!members) return 'condition'
  return planRows({ action, isUnique, args, members, projection, isComposed }, name, planning)
}

/** Plans how the rows of a model are found: by a key, else by a list, else through a relation. */
function planRows(query: Query, model: string, planning: ReadPlanning): ReadPlan | BypassReason {
  let reason: BypassReason | undefined
  let best: ListPlan | undefined
  const { caches } = planning.modelOf(model)!
  for (const readable of caches) {
    for (const key of readable.keys) {
      const found = planKeys(query, readable, key, planning)
      if (typeof found !== 'string') return found
      reason = closestOf(reason, found)
    }
    if (query.isUnique) continue
    for (const list of readable.lists) {
      const found = planList(query, readable, list, planning)
      if (typeof found === 'string') reason = closestOf(reason, found)
      else best = best ? betterOf(best, found) : found
    }
  }
  if (best || query.isUnique || !query.isComposed) return best ?? reason ?? 'condition'
  for (const readable of caches) {
    const found = planLinked(query, readable, planning)
    if (typeof found !== 'string') return found
    reason = closestOf(reason, found)
  }
  return reason ?? 'condition'
}

function projectionOf(
  action: string,
  args: ReadArguments,
  selections: Selections,
): Projection | BypassReason {
  if (action !== 'count') return selections.of(args)
  const { cursor, include, omit, orderBy, relationLoadStrategy, select, skip, take } = args
  if ([cursor, orderBy, skip, take].some((value) => value !== undefined)) return 'paging'
  const ofRows = [include, omit, relationLoadStrategy, select]
  return ofRows.some((value) => value !== undefined) ? 'argument' : noFields
}

function planKeys(
  query: Query,
  readable: ReadableCache,
  key: ReadableKey,
  planning: ReadPlanning,
): KeyPlan | BypassReason {
  const { isUnique, members } = query
  const requested = isUnique ? idOfUnique(members, key) : idsOf(members, key)
  if (typeof requested === 'string') return requested
  const { ids, others } = requested
  if (isUnique && !others.every((other) => isOfUnique(other, readable))) return 'condition'
  const selection = select(query, readable, { others, origin: { most: ids.length } }, planning)
  if (typeof selection === 'string') return selection
  if (ids.length + (selection.test?.values ?? 0) > key.maxKeys) return 'too_many_ids'
  const rows = planResult(query, readable, planning)
  return typeof rows === 'string' ? rows : { ...rows, selection, key, ids }
}

/** Prisma takes a value of a unique key beside another one, but no operators, and not null. */
function isOfUnique({ condition, isOutermost, name }: WhereMember, { uniqueNames }: ReadableCache): boolean {
  if (!isOutermost || !uniqueNames.has(name)) return true
  return typeof condition !== 'object' || condition instanceof Date
}

function planList(
  query: Query,
  readable: ReadableCache,
  list: ReadableList,
  planning: ReadPlanning,
): ListPlan | BypassReason {
  const requested = keysOfList(query.members, list)
  if (typeof requested === 'string') return requested
  const { keys, others } = requested
  const origin = { list, isOneList: keys.length === 1 }
  const selection = select(query, readable, { others, origin }, planning)
  if (typeof selection === 'string') return selection
  if (keys.length + (selection.test?.values ?? 0) > readable.id.maxKeys) return 'too_many_ids'
  const rows = planResult(query, readable, planning)
  return typeof rows === 'string' ? rows : { ...rows, selection, list, listKeys: keys }
}

/** Plans to read rows by those that a condition on a relation finds: `{ author: { email } }`, `{ members: { some: { userId } } }`. */
function planLinked(
  query: Query,
  readable: ReadableCache,
  planning: ReadPlanning,
): LinkedPlan | BypassReason {
  let reason: BypassReason = 'condition'
  for (const member of query.members) {
    const relation = planning.modelOf(readable.cache.model)!.relations.get(member.name)
    const target = relation && planning.modelOf(relation.target)
    const members = relation && someOf(relation, member.condition)
    const opposite = target?.relations.get(relation!.targetField)
    if (!opposite || !members) continue
    const origin = planRows(
      { ...query, action: 'findMany', args: noArguments, members, projection: noFields },
      relation!.target,
      planning,
    )
    if (typeof origin === 'string') continue
    if (!opposite.ownKey.every((field) => origin.readable.fields.has(field))) continue
    const found = planLink(query, readable, { member, opposite, origin }, planning)
    if (typeof found === 'string') {
      reason = closestOf(reason, found)
      continue
    }
    const rows = planResult(query, readable, planning)
    if (typeof rows === 'string') return rows
    const others = membersWithout(query.members, [member])
    const costs = planning.weighsCosts ? costsOfLink(query, { link: found.link, origin, others }) : undefined
    return { ...rows, ...found, origin, costs }
  }
  return reason
}

/** What it costs to read the list that leads to the rows of a query, or of which they are a part. */
function costsOfLink(
  { action, args }: Query,
  { link, origin, others }: Pick<LinkedPlan, 'link' | 'origin'> & Pick<SelectionRequest, 'others'>,
): LinkedPlan['costs'] {
  const list = 'list' in origin ? origin.list : 'list' in link ? link.list : undefined
  const part = `by ${link.from.join()} ${String(args.take)}`
  return list && costsOfPart(list, { action, args, others }, part)
}

/** The conditions on rows of a relation, one of which a row needs. */
function someOf({ isList }: Relation, condition: unknown): readonly WhereMember[] | undefined {
  return isList ? membersOfOperator(condition, 'some') : membersOfOperator(singleOf(condition), 'is')
}

interface Link {
  /** The condition that the other rows fulfil. */
  readonly member: WhereMember
  /** The relation from the other side to this one. */
  readonly opposite: Relation
  readonly origin: ReadPlan
}

function planLink(
  query: Query,
  readable: ReadableCache,
  { member, opposite, origin }: Link,
  planning: ReadPlanning,
): Pick<LinkedPlan, 'link' | 'selection'> | BypassReason {
  const { action, args, members } = query
  const others = membersWithout(members, [member])
  const isOneRow = 'ids' in origin && origin.ids.length === 1
  if (opposite.isList) {
    // A row to which several lead is found once.
    if (opposite.keyHolder === 'join-table' && !isOneRow) return 'condition'
    const request = { action, args, isOneList: isOneRow, members: others, readable }
    const found = planListOf(opposite, request, planning)
    return typeof found === 'string'
      ? found
      : { link: { ...found, selection: allRows }, selection: found.selection }
  }
  const link = planKeyOf(opposite, readable)
  if (!link) return 'condition'
  const selection = select(query, readable, { others, origin: { most: isOneRow ? 1 : Infinity } }, planning)
  return typeof selection === 'string' ? selection : { link, selection }
}

/** Plans which of the rows that are found are the result. */
function select(
  { action, args, isComposed }: Query,
  readable: ReadableCache,
  { origin, others }: Found,
  planning: ReadPlanning,
): RowSelection | BypassReason {
  const relationOf = isComposed ? conditionsOn(readable, planning) : () => undefined
  return planSelection({ action, args, others, planning, readable, relationOf }, origin)
}

interface Found {
  readonly origin: RowOrigin
  /** The conditions by which they are not found. */
  readonly others: readonly WhereMember[]
}

/** What a result has of each row. */
function planResult(
  { args, projection }: Query,
  readable: ReadableCache,
  planning: ReadPlanning,
): Omit<RowPlan, 'selection'> | BypassReason {
  const form = projection.of(readable)
  if (!form) return 'fields'
  const related = planRelations(readable, args, projection, planning)
  return typeof related === 'string' ? related : { readable, form, projection, related }
}
