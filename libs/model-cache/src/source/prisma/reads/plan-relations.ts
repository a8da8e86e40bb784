import { isPlain } from '../../plain.js'
import type { Relation } from '../../schema-facts.js'
import { planKeyOf, planListed } from './plan-related.js'
import { noFields, type Projection } from './projection.js'
import { argumentsOf, type ReadArguments } from './read-arguments.js'
import { type BypassReason, closestOf } from './read-outcome.js'
import type { ReadableCache } from './readable-cache.js'
import type {
  RelatedCounts,
  RelatedKey,
  RelatedList,
  RelatedOne,
  RelatedPlan,
  RelatedRow,
  RelatedRows,
  RowPlan,
} from './read-plan.js'
import type { ReadPlanning } from './read-planning.js'
import { allRows } from './row-selection.js'
import { membersOf } from './where.js'

/** Plans how the relations that a query asks for are read from caches, or says why they are not. */
export function planRelations(
  readable: ReadableCache,
  { include, select }: Pick<ReadArguments, 'select' | 'include'>,
  { relations }: Projection,
  planning: ReadPlanning,
): readonly RelatedPlan[] | BypassReason {
  if (relations.length === 0) return none
  const requested = (select ?? include) as Readonly<Record<string, unknown>>
  const plans: RelatedPlan[] = []
  for (const name of relations) {
    const plan =
      name === '_count'
        ? planCounts(requested[name], readable, planning)
        : planRelation({ readable, name, given: requested[name], isCount: false }, planning)
    if (typeof plan === 'string') return plan
    plans.push(plan)
  }
  return plans
}

const none: readonly never[] = []

function planCounts(
  given: unknown,
  readable: ReadableCache,
  planning: ReadPlanning,
): RelatedCounts | BypassReason {
  if (!isPlain(given) || Object.keys(given).join() !== 'select' || !isPlain(given['select']))
    return 'relations'
  const counts = new Map<string, RelatedRows>()
  for (const [name, each] of Object.entries(given['select'])) {
    if (each === false) continue
    const isFiltered = isPlain(each) && Object.keys(each).every((key) => key === 'where')
    if (each !== true && !isFiltered) return 'relations'
    const plan = planRelation({ readable, name, given: each, isCount: true }, planning)
    if (typeof plan === 'string') return plan
    if (!('isCount' in plan)) return 'relations'
    counts.set(name, plan)
  }
  return counts.size > 0 ? { counts } : 'relations'
}

interface RequestedRelation {
  /** The cache of the rows that have the relation. */
  readonly readable: ReadableCache
  readonly name: string
  /** `true`, or the arguments of the relation. */
  readonly given: unknown
  readonly isCount: boolean
}

function planRelation(
  { given, isCount, name, readable }: RequestedRelation,
  planning: ReadPlanning,
): RelatedRow | RelatedRows | BypassReason {
  const relation = planning.modelOf(readable.cache.model)!.relations.get(name)
  const target = relation && planning.modelOf(relation.target)
  if (!relation || !target) return 'relations'
  if (!relation.ownKey.every((field) => readable.fields.has(field))) return 'fields'
  const args = argumentsOf(given === true ? {} : given, planning.isStrict)
  if (typeof args === 'string') return args
  if (args.relationLoadStrategy !== undefined) return 'argument'
  const projection = isCount ? noFields : target.selections.of(args)
  if (typeof projection === 'string') return projection
  let reason: BypassReason | undefined
  for (const readable of target.caches) {
    const form = projection.of(readable)
    if (!form) {
      reason = closestOf(reason, 'fields')
      continue
    }
    const found = relation.isList
      ? planMany(relation, readable, { args, isCount }, planning)
      : planSingle(relation, readable, args)
    if (typeof found === 'string') {
      reason = closestOf(reason, found)
      continue
    }
    const related = planRelations(readable, args, projection, planning)
    if (typeof related === 'string') return related
    return { readable, form, projection, related, ...found }
  }
  return reason ?? 'relations'
}

function planSingle(
  relation: Relation,
  readable: ReadableCache,
  { cursor, orderBy, skip, take, where }: ReadArguments,
): (RelatedKey & Pick<RowPlan, 'selection'>) | BypassReason {
  if ([cursor, orderBy, skip, take, where].some((value) => value !== undefined)) return 'relations'
  const found = planKeyOf(relation, readable)
  return found ? { ...found, selection: allRows } : 'relations'
}

interface RequestedList {
  readonly args: ReadArguments
  readonly isCount: boolean
}

function planMany(
  relation: Relation,
  readable: ReadableCache,
  { args, isCount }: RequestedList,
  planning: ReadPlanning,
): ((RelatedList | RelatedOne) & Pick<RelatedRows, 'isCount'>) | BypassReason {
  const members = membersOf(args.where === undefined ? {} : args.where)
  if (!members) return 'condition'
  const action = isCount ? 'count' : 'findMany'
  const request = { action, args, isOneList: true, members, readable }
  const found = planListed(relation, request, planning)
  if (typeof found === 'string') return found
  // Prisma looks for the row of the cursor among those that fulfil all conditions.
  return found.selection.isCursor && found.selection.test ? 'paging' : { ...found, isCount }
}
