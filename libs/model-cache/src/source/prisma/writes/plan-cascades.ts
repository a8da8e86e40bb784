import type { AffectedRows } from '../../affected-rows.js'
import {
  type Cascade,
  cascadesFrom,
  type Change,
  type PassedOn,
  type RelationPath,
} from '../../referential-actions.js'
import { addCascaded } from './join-tables.js'
import { type Row, rowKeyOf } from './literals.js'
import type { WritePlanning } from './planning.js'
import type { LookUp } from './write-plan.js'

/** The plan that cascades are added to. */
type CascadePlan = Pick<WritePlanning, 'models' | 'coordinator'> & { readonly affected: AffectedRows }

export interface PlannedCascades {
  readonly lookUps: readonly LookUp[]
  /** Whether the rows have to be found generation by generation, because a relation leads back to a model above. */
  readonly areCircular: boolean
}

/**
 * Plans which rows to lock and select before a write of a model, because the database changes them along with its rows. Where they cannot
 * be selected, all rows of their model are affected.
 *
 * @param allowsCircular whether they may be found generation by generation
 */
export function planCascades(
  { affected, coordinator, models }: CascadePlan,
  model: string,
  change: Change,
  allowsCircular: boolean,
): PlannedCascades {
  const cascades = cascadesFrom(models, model, change)
  if (cascades.length === 0) return none
  const isCached = (model: string): boolean => coordinator.idFieldsOf(model).length > 0
  const areCircular = cascades.some((one) => one.isCircular)
  const cannot = cascades.filter((one) => isCached(one.model) && !canLookUp({ coordinator, models }, one))
  // Without all of them there are no generations.
  const areAll = areCircular && (!allowsCircular || cannot.length > 0)
  const wholes = new Set((areAll ? cascades : cannot).map(nameOf))
  for (const name of wholes) affected.addModel(name, 'cascade')
  for (const cascade of cascades) addCascaded({ affected, models }, cascade)
  // Lock the rows in between as well, so that nobody adds rows below them.
  const lookUps = cascades
    .filter(
      ({ path }) =>
        path && cascades.some((one) => isBelow(one, path) && isCached(one.model) && !wholes.has(one.model)),
    )
    .map(({ model, path, change, setsNull }) => cascadeOf(model, path!, change, setsNull))
  return { lookUps, areCircular: areCircular && !areAll }
}

const none: PlannedCascades = { lookUps: [], areCircular: false }

/** How to find the rows that the database changes along with the rows above them. */
export function lookUpOf({ change, child, setsNull }: PassedOn): LookUp {
  return cascadeOf(child.model, [{ field: child.relation.field, isList: false }], change, setsNull)
}

function cascadeOf(model: string, path: RelationPath, change: Change, setsNull: boolean): LookUp {
  const after = afterCascade(change, setsNull)
  return { model, when: 'before', path, reason: 'cascade', areNew: false, change, after }
}

/** Whether the cascaded rows can be selected before the write: they can be found, and their new ids are known. */
function canLookUp(
  { models, coordinator }: Pick<WritePlanning, 'models' | 'coordinator'>,
  { change, isCircular, model, path, setsNull }: Cascade,
): boolean {
  const described = models.get(model)!
  const ids = coordinator.idFieldsOf(model).flat()
  return (
    (path !== undefined || isCircular) &&
    rowKeyOf(described).length > 0 &&
    ids.every((id) => described.scalars.has(id)) &&
    showsNewIds(ids, change, afterCascade(change, setsNull))
  )
}

/**
 * Whether the ids of rows after a change are known. Null is no id.
 *
 * @param after values that all of them have then
 */
export function showsNewIds(ids: readonly string[], change: Change, after: Row): boolean {
  return change === 'deleted' || ids.every((id) => !change.has(id) || after[id] !== undefined)
}

function afterCascade(change: Change, setsNull: boolean): Row {
  return setsNull ? Object.fromEntries([...change].map((field) => [field, null])) : {}
}

function nameOf({ model }: Cascade): string {
  return model
}

/** Whether the path of a cascade ends with the upper one. */
function isBelow({ path }: Cascade, upper: RelationPath): boolean {
  return path !== undefined && upper.every((step, index) => path.at(index - upper.length) === step)
}
