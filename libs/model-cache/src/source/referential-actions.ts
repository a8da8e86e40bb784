import type { Child, Models, ReferentialAction } from './schema-facts.js'

/** What happens to a row: it is deleted, or these fields change. */
export type Change = 'deleted' | ReadonlySet<string>

/** Relation fields that lead from one row to another, `['auctionItem', 'item']`, and which of them are lists. */
export type RelationPath = readonly { readonly field: string; readonly isList: boolean }[]

/** Rows that the database changes because a row they refer to changes. */
export interface Cascade {
  readonly model: string
  /**
   * Leads from the changed row up to the written one. Undefined if the way passes a relation twice, and so has no
   * end, or passes a relation that the client hides.
   */
  readonly path: RelationPath | undefined
  readonly change: Change
  /** Whether the fields that change become null. */
  readonly setsNull: boolean
}

/**
 * Follows the referential actions `Cascade`, `SetNull` and `SetDefault` from a row of the model to all rows that change
 * with it. It trusts the schema: the database must have the same actions.
 */
export function cascadesFrom(models: Models, model: string, change: Change): readonly Cascade[] {
  // Nearly always.
  if (!models.get(model)!.children.some((child) => actionOn(child, change))) return none
  const cascades: Cascade[] = []
  const endless = new Set<Child>()

  const visit = (
    name: string,
    change: Change,
    path: RelationPath | undefined,
    trail: readonly Child[],
  ): void => {
    for (const child of models.get(name)!.children) {
      const action = actionOn(child, change)
      if (action === undefined || endless.has(child)) continue
      const step = { field: child.relation.field, isList: false }
      const isPath = path && child.relation.isVisible && !trail.includes(child)
      const next = isPath ? [step, ...path] : undefined
      if (!next) endless.add(child)
      const isDeleted = change === 'deleted' && action === 'Cascade'
      const passedOn: Change = isDeleted ? 'deleted' : new Set(child.relation.fields)
      cascades.push({ model: child.model, path: next, change: passedOn, setsNull: action === 'SetNull' })
      visit(child.model, passedOn, next, [...trail, child])
    }
  }
  visit(model, change, [], [])
  return cascades
}

const none: readonly Cascade[] = []

/** The action that changes the child, if any. */
function actionOn({ relation }: Child, change: Change): ReferentialAction | undefined {
  const isHit = change === 'deleted' || relation.references.some((field) => change.has(field))
  if (!isHit) return undefined
  const action = change === 'deleted' ? relation.onDelete : relation.onUpdate
  return action === 'Restrict' || action === 'NoAction' ? undefined : action
}
