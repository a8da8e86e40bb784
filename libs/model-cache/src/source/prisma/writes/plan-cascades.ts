import type { AffectedRows } from '../../affected-rows.js'
import {
  type Cascade,
  cascadesFrom,
  type Change,
  type PassedOn,
  passedOn,
  type RelationPath,
  stepOf,
} from '../../referential-actions.js'
import { addCascaded } from './join-tables.js'
import { areExact, type Row, rowKeyOf } from './literals.js'
import type { Child, Models } from '../../schema-facts.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
import type { WritePlanning } from './planning.js'
import type { LookUp } from './write-plan.js'

type Planned = Pick<WritePlanning, 'models' | 'coordinator'>
/** The plan that cascades are added to. */
type CascadePlan = Planned & { readonly affected: AffectedRows }
/** Rows of a model, and what happens to them. */
type ChangedRows = Pick<LookUp, 'model' | 'change' | 'after'>

export interface PlannedCascades {
  readonly lookUps: readonly LookUp[]
  /** Whether the rows have to be found generation by generation, because a relation leads back to a model above. */
  readonly areCircular: boolean
}

/**
 * Plans which rows to lock and select before a write of a model, because the database changes them along with its rows. Where they cannot
 * be selected, all rows of their model are affected.
 *
 * @param isOwn whether the rows of the model are those that the query writes itself. These are claimed, so that others can be found
 *   generation by generation, or by their foreign keys
 */
export function planCascades(
  { affected, coordinator, models }: CascadePlan,
  model: string,
  change: Change,
  isOwn: boolean,
): PlannedCascades {
  const cascades = cascadesFrom(models, model, change)
  if (cascades.length === 0) return none
  const isCached = (model: string): boolean => coordinator.idFieldsOf(model).length > 0
  const areCircular = cascades.some((one) => one.isCircular)
  const key = isOwn ? rowKeyOf(models.get(model)!) : []
  const cannot = cascades.filter(
    (one) => isCached(one.model) && !canLookUp({ coordinator, models }, one, key),
  )
  // Without all of them there are no generations.
  const areAll = areCircular && (!isOwn || cannot.length > 0)
  const wholes = new Set((areAll ? cascades : cannot).map(nameOf))
  // What the write sets there may not be what it is in the end.
  if (cascades.some((one) => one.model === model && isReset(one, change))) wholes.add(model)
  for (const name of wholes) affected.addModel(name, 'cascade')
  for (const cascade of cascades) addCascaded({ affected, models }, cascade)
  // Lock the rows in between as well, so that nobody adds rows below them.
  const isFound = (name: string): boolean => isCached(name) && !wholes.has(name)
  const lookUps = cascades
    .filter((cascade) => cascade.path && leadsTo(models, cascade, isFound))
    .map(({ model, path, change, setsNull }) => cascadeOf(model, path!, change, setsNull))
  return { lookUps, areCircular: areCircular && !areAll }
}

const none: PlannedCascades = { lookUps: [], areCircular: false }

/** How to find the rows that the database changes along with the rows above them. */
export function lookUpOf({ change, child, setsNull }: PassedOn): LookUp {
  return cascadeOf(child.model, [stepOf(child)], change, setsNull)
}

function cascadeOf(model: string, path: RelationPath, change: Change, setsNull: boolean): LookUp {
  const after = afterCascade(change, setsNull)
  return { model, when: 'before', path, reason: 'cascade', areNew: false, change, after }
}

/**
 * Whether the cascaded rows can be selected before the write: they can be found, and their new ids are known or can be selected after it.
 *
 * @param key of the written rows, if these are claimed
 */
function canLookUp(
  { models, coordinator }: Planned,
  { change, isCircular, model, path, setsNull }: Cascade,
  key: readonly string[],
): boolean {
  return (
    (path !== undefined || isCircular) &&
    (path ?? []).every(({ hidden }) => !hidden || leadsToKey(models, hidden, key)) &&
    canFindIds({ coordinator, models }, { model, change, after: afterCascade(change, setsNull) })
  )
}

/** Whether rows can be selected before a change, and show their new ids or can be selected again by their key. */
export function canFindIds({ coordinator, models }: Planned, changed: ChangedRows): boolean {
  const model = models.get(changed.model)!
  const ids = coordinator.idFieldsOf(model.name).flat()
  const key = rowKeyOf(model)
  return (
    key.length > 0 &&
    ids.every((id) => model.scalars.has(id)) &&
    (showsNewIds(coordinator, changed) || !key.some((field) => isIn(changed.change, field)))
  )
}

/** Whether the ids of rows after a change are known. Null is no id. */
export function showsNewIds(coordinator: WriteCoordinator, { model, change, after }: ChangedRows): boolean {
  const ids = coordinator.idFieldsOf(model).flat()
  return ids.every((id) => !isIn(change, id) || after[id] !== undefined)
}

/** Whether rows are found by the foreign key that they have to rows of which only this key is known. */
function leadsToKey(models: Models, { model, relation }: Child, key: readonly string[]): boolean {
  return (
    areExact(models.get(model)!, relation.fields) && relation.references.every((field) => key.includes(field))
  )
}

/** Whether the database changes fields that the write sets, in a row of the same model that leads to itself in the end. */
function isReset({ model, relation }: Cascade, change: Change): boolean {
  if (change === 'deleted') return false
  const { fields, references, target } = relation
  return fields.some((field, index) => {
    const source = references[index]!
    // A field that leads to itself gets what the write sets, and one that leads to an unchanged field stays.
    const isKept = target === model && (source === field || !change.has(source))
    return change.has(field) && !isKept
  })
}

function isIn(change: LookUp['change'], field: string): boolean {
  return typeof change === 'object' && change.has(field)
}

function afterCascade(change: Change, setsNull: boolean): Row {
  return setsNull ? Object.fromEntries([...change].map((field) => [field, null])) : {}
}

function nameOf({ model }: Cascade): string {
  return model
}

/** Whether rows, or those that the database changes along with them, are of such a model. Another way to a circle does not show what is below. */
function leadsTo(
  models: Models,
  rows: Pick<Cascade, 'model' | 'change'>,
  isFound: (model: string) => boolean,
): boolean {
  const all = [rows]
  const known = new Set<string>()
  // Iterating a list also visits what is added meanwhile.
  for (const { model, change } of all) {
    if (isFound(model)) return true
    for (const { child, change: next } of passedOn(models, model, change)) {
      const name = `${child.model}.${child.relation.field} ${next === 'deleted'}`
      if (!known.has(name)) all.push({ model: child.model, change: next })
      known.add(name)
    }
  }
  return false
}
