import type { AffectedRows } from '../../affected-rows.js'
import { type Cascade, cascadesFrom, type Change, type RelationPath } from '../../referential-actions.js'
import { addCascaded } from './join-tables.js'
import { areExact, type Row } from './literals.js'
import type { WritePlanning } from './planning.js'
import type { LookUp } from './write-plan.js'

/**
 * Plans which rows to lock and select before a write of a model, because the database changes them along with its rows. Where they cannot
 * be selected, all rows of their model are affected.
 */
export function planCascades(
  planning: WritePlanning,
  model: string,
  change: Change,
  affected: AffectedRows,
): readonly LookUp[] {
  const { models, coordinator } = planning
  const cascades = cascadesFrom(models, model, change)
  if (cascades.length === 0) return none
  const isCached = (model: string): boolean => coordinator.idFieldsOf(model).length > 0
  const wholes = new Set(
    cascades.filter((one) => isCached(one.model) && !canLookUp(planning, one)).map(nameOf),
  )
  for (const name of wholes) affected.addModel(name, 'cascade')
  for (const cascade of cascades) addCascaded({ affected, models }, cascade)
  // Lock the rows in between as well, so that nobody adds rows below them.
  return cascades
    .filter(
      ({ path }) =>
        path && cascades.some((one) => isBelow(one, path) && isCached(one.model) && !wholes.has(one.model)),
    )
    .map(({ model, path, change, setsNull }) => {
      const after: Row = setsNull ? Object.fromEntries([...change].map((field) => [field, null])) : {}
      return { model, when: 'before', path: path!, reason: 'cascade', areNew: false, change, after }
    })
}

const none: readonly LookUp[] = []

/** Whether the cascaded rows can be selected before the write: their path has an end and their ids stay the same. */
function canLookUp({ models, coordinator }: WritePlanning, { model, path, change }: Cascade): boolean {
  const described = models.get(model)!
  const ids = coordinator.idFieldsOf(model).flat()
  return (
    path !== undefined &&
    described.primaryKey.length > 0 &&
    areExact(described, described.primaryKey) &&
    ids.every((id) => described.scalars.has(id) && (change === 'deleted' || !change.has(id)))
  )
}

function nameOf({ model }: Cascade): string {
  return model
}

/** Whether the path of a cascade ends with the upper one. */
function isBelow({ path }: Cascade, upper: RelationPath): boolean {
  return path !== undefined && upper.every((step, index) => path.at(index - upper.length) === step)
}
