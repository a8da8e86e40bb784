import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import { betterOf, planSelection } from './plan-selection.js'
import { noFields, type Projection } from './projection.js'
import { argumentsOf, type ReadArguments } from './read-arguments.js'
import { type BypassReason, closestOf } from './read-outcome.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import type { ReadableRelation } from './readable-relation.js'
import type { Related, RelatedCounts, RelatedPlan, RelatedRow, RelatedRows, RowPlan } from './read-plan.js'
import type { ReadPlanning } from './read-planning.js'
import { restOf } from './requested-list.js'
import { allRows } from './row-selection.js'
import { membersOf } from './where.js'

interface Parent {
  readonly model: string
  readonly readable: ReadableCache
}

interface RequestedRelations extends Parent {
  readonly args: Pick<ReadArguments, 'select' | 'include'>
  readonly projection: Projection
}

/** Plans how the relations that a query asks for are read from caches, or says why they are not. */
export function planRelations(
  { args: { include, select }, projection, ...parent }: RequestedRelations,
  planning: ReadPlanning,
): readonly RelatedPlan[] | BypassReason {
  const { relations } = projection
  if (relations.length === 0) return none
  const requested = (select ?? include) as Readonly<Record<string, unknown>>
  const plans: RelatedPlan[] = []
  for (const name of relations) {
    const plan =
      name === '_count'
        ? planCounts(requested[name], parent, planning)
        : planRelation({ ...parent, name, given: requested[name], isCount: false }, planning)
    if (typeof plan === 'string') return plan
    plans.push(plan)
  }
  return plans
}

const none: readonly never[] = []

function planCounts(given: unknown, parent: Parent, planning: ReadPlanning): RelatedCounts | BypassReason {
  if (!isPlain(given) || Object.keys(given).join() !== 'select' || !isPlain(given['select']))
    return 'relations'
  const counts = new Map<string, RelatedRows>()
  for (const [name, each] of Object.entries(given['select'])) {
    if (each === false) continue
    const isFiltered = isPlain(each) && Object.keys(each).every((key) => key === 'where')
    if (each !== true && !isFiltered) return 'relations'
    const plan = planRelation({ ...parent, name, given: each, isCount: true }, planning)
    if (typeof plan === 'string') return plan
    if (!('list' in plan)) return 'relations'
    counts.set(name, plan)
  }
  return counts.size > 0 ? { counts } : 'relations'
}

interface RequestedRelation extends Parent {
  readonly name: string
  /** `true`, or the arguments of the relation. */
  readonly given: unknown
  readonly isCount: boolean
}

function planRelation(
  { given, isCount, model, name, readable }: RequestedRelation,
  planning: ReadPlanning,
): RelatedRow | RelatedRows | BypassReason {
  const relation = planning.modelOf(model)?.relations.get(name)
  const target = relation && planning.modelOf(relation.target)
  if (!relation || !target) return 'relations'
  if (!relation.fields.every((field) => readable.fields.has(field))) return 'fields'
  const args = argumentsOf(given === true ? {} : given, planning.isStrict)
  if (typeof args === 'string') return args
  if (args.relationLoadStrategy !== undefined) return 'argument'
  const projection = isCount ? noFields : target.selections.of(args)
  if (typeof projection === 'string') return projection
  const plan = relation.isList ? planList : planRow
  let reason: BypassReason | undefined
  for (const readable of target.caches) {
    const project = projection.of(readable)
    if (!project) {
      reason = closestOf(reason, 'fields')
      continue
    }
    const found = plan(relation, readable, args, isCount)
    if (typeof found === 'string') {
      reason = closestOf(reason, found)
      continue
    }
    const related = planRelations({ args, model: relation.target, projection, readable }, planning)
    if (typeof related === 'string') return related
    return { readable, project, projection, related, ...found }
  }
  return reason ?? 'relations'
}

type Found<Plan extends Related> = Omit<Plan, Exclude<keyof RowPlan, 'selection'>>

function planRow(
  relation: ReadableRelation,
  { keys }: ReadableCache,
  { cursor, orderBy, skip, take, where }: ReadArguments,
): Found<RelatedRow> | BypassReason {
  if ([cursor, orderBy, skip, take, where].some((value) => value !== undefined)) return 'relations'
  const key = keys.find(({ fields }) => isKeyOf(fields, relation))
  if (!key) return 'relations'
  const fieldsOf = keyReaderOf(relation, key.fields)
  const keyOf =
    key.fields.length > 1
      ? fieldsOf
      : (row: CachedRow) => {
          const found = fieldsOf(row)
          return found && found[key.fields[0]!.name]
        }
  return { key, keyOf, isCertain: relation.holdsKey, selection: allRows }
}

function planList(
  relation: ReadableRelation,
  readable: ReadableCache,
  args: ReadArguments,
  isCount: boolean,
): Found<RelatedRows> | BypassReason {
  const members = membersOf(args.where ?? {})
  if (!members) return 'condition'
  let reason: BypassReason | undefined
  let best: Found<RelatedRows> | undefined
  for (const list of readable.lists) {
    if (list.lookup.through !== relation.through || !isKeyOf(list.fields, relation)) continue
    const others = restOf(members, list)
    const selection = others
      ? planSelection(
          { action: isCount ? 'count' : 'findMany', args, others, readable },
          { list, isOneList: true },
        )
      : 'condition'
    if (typeof selection === 'string') reason = closestOf(reason, selection)
    else {
      const found = { list, keyOf: keyReaderOf(relation, list.fields), isCount, selection }
      best = best ? betterOf(best, found) : found
    }
  }
  return best ?? reason ?? 'relations'
}

function isKeyOf(fields: ReadableKey['fields'], { targetFields }: ReadableRelation): boolean {
  return fields.length === targetFields.length && fields.every(({ name }) => targetFields.includes(name))
}

/** Reads the key of the other side in a row of this one, as an object of its fields. */
function keyReaderOf(
  { fields, targetFields }: ReadableRelation,
  keyFields: ReadableKey['fields'],
): (row: CachedRow) => CachedRow | null | undefined {
  const parts = keyFields.map(({ name, read }) => ({ name, read, from: fields[targetFields.indexOf(name)]! }))
  return (row) => {
    const key: Record<string, unknown> = {}
    for (const { from, name, read } of parts) {
      const value = row[from]
      if (value === null) return null
      if ((key[name] = read(value)) === undefined) return undefined
    }
    return key
  }
}
