import { cascadesFrom, type Change, type RelationPath } from '../../referential-actions.js'
import type { Model } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import { type Row, rowKeyOf } from './literals.js'
import { canFindIds, planCascades } from './plan-cascades.js'
import type { LookUp, NestedPlan } from './write-plan.js'

/** The way to rows that are there before the query. */
export interface Way {
  /** The row at its end, by a unique `where`; undefined for the one that the query writes. */
  readonly from: { readonly model: string; readonly where: Args } | undefined
  /** From the rows to that one: their model, and the field that leads to the next ones. */
  readonly steps: readonly { readonly model: string; readonly field: string; readonly isList: boolean }[]
}

/** What happens to rows. */
export interface ExistingChange {
  readonly change: Change
  /** Values that all of them have after the query. */
  readonly after: Row
  /** Whether the rows are also found after the query, which shows their new ids, and the entries that they enter. */
  readonly isFoundLater?: boolean
}

/**
 * Plans to lock and select rows that a nested write changes, and those that the database changes with them, before the query runs. Returns
 * false if they cannot be selected, or get other ids, and if none of them are cached.
 */
export function claimExisting(
  plan: NestedPlan,
  model: Model,
  way: Way | undefined,
  { after, change, isFoundLater }: ExistingChange,
): boolean {
  const isCached = plan.coordinator.idFieldsOf(model.name).length > 0
  if (!isCached && !cascadesToCached(plan, model.name, change)) return false
  const shown = isFoundLater ? { change: noFields, after: {} } : { change, after }
  if (!way || !canClaim(plan, model, way, shown)) return false
  const { furtherRows } = plan
  const { from, steps } = way
  const common = { when: 'before', from: from?.where, reason: 'nested', areNew: false } as const
  const pathFrom = (level: number): RelationPath =>
    steps.slice(level).map(({ field, isList }) => ({ field, isList }))
  // Those in between first, so that nobody adds rows below them.
  for (let level = steps.length; level > 0; level--) {
    const name = steps[level]?.model ?? from?.model
    const path = pathFrom(level)
    const isPlanned = furtherRows.some(
      (one) =>
        one.when === 'before' && one.from === common.from && one.model === name && isSamePath(one.path, path),
    )
    if (name !== undefined && !isPlanned)
      furtherRows.push({ ...common, model: name, path, change: noFields, after: {} })
  }
  furtherRows.push({ ...common, model: model.name, path: pathFrom(0), ...shown })
  // Of lookups through relations, the rows do not show the entries.
  if (change !== 'deleted') plan.affected.addJoined(model.name, [], change)
  for (const lookUp of planCascades(plan, model.name, change, false).lookUps)
    furtherRows.push({ ...lookUp, ...common, path: [...lookUp.path, ...pathFrom(0)] })
  return true
}

function isSamePath(one: RelationPath, other: RelationPath): boolean {
  return one.length === other.length && one.every(({ field }, at) => field === other[at]!.field)
}

const noFields: ReadonlySet<string> = new Set()

function canClaim(
  { coordinator, locksRows, models }: NestedPlan,
  model: Model,
  { steps }: Way,
  change: ExistingChange,
): boolean {
  return (
    locksRows &&
    canFindIds({ coordinator, models }, { model: model.name, ...change }) &&
    steps.every((step) => rowKeyOf(models.get(step.model)!).length > 0)
  )
}

/**
 * Plans to select rows through the row that the query writes, after it.
 *
 * @param change undefined if the rows are new
 */
export function lookUpLater(
  { furtherRows }: NestedPlan,
  model: string,
  path: RelationPath,
  change: ReadonlySet<string> | undefined,
): void {
  const known = furtherRows.findIndex(
    (one) => one.when === 'after' && one.model === model && isSamePath(one.path, path),
  )
  const lookUp: LookUp = { model, when: 'after', path, reason: 'nested', areNew: !change, change, after: {} }
  if (known === -1) return void furtherRows.push(lookUp)
  const { areNew, change: other } = furtherRows[known]!
  const isChanged = change && typeof other === 'object'
  furtherRows[known] = {
    ...lookUp,
    areNew: areNew && lookUp.areNew,
    change: isChanged ? new Set([...change, ...other]) : undefined,
  }
}

/** Whether the database passes a change of rows on to cached ones. */
export function cascadesToCached(
  { coordinator, models }: NestedPlan,
  model: string,
  change: Change,
): boolean {
  return cascadesFrom(models, model, change).some(({ model }) => coordinator.idFieldsOf(model).length > 0)
}
