import type { Child, Models, ReferentialAction, Relation } from './schema-facts.js'

/** What happens to a row: it is deleted, or these fields change. */
export type Change = 'deleted' | ReadonlySet<string>

/** Relation fields that lead from one row to another, `['auctionItem', 'item']`, and which of them are lists. */
export type RelationPath = readonly RelationStep[]

export interface RelationStep {
  readonly field: string
  readonly isList: boolean
  /** The side with the foreign key, if the client hides the relation, so that only the key leads on. */
  readonly hidden?: Child | undefined
}

/** Rows that the database changes because a row they refer to changes. */
export interface Cascade {
  readonly model: string
  /** By which the rows refer to those that change above them. */
  readonly relation: Relation
  /**
   * Leads from the changed row up to the written one. Undefined if the way passes a relation twice, and so has no
   * end, or passes a relation that the client hides, other than that of the written row.
   */
  readonly path: RelationPath | undefined
  readonly change: Change
  /** Whether the way passes the same relation again and again, for the same change. */
  readonly isCircular: boolean
  /** Whether the fields that change become null. */
  readonly setsNull: boolean
}

/** What a change of a row does to the rows that refer to it, one level below. */
export interface PassedOn {
  readonly child: Child
  readonly change: Change
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
  /** The relations that led to rows without a path, and those that closed a circle, by what happens to the rows. */
  const endless = { deleted: new Set<Child>(), changed: new Set<Child>() }
  const closing = { deleted: new Set<Child>(), changed: new Set<Child>() }

  const visit = (
    name: string,
    change: Change,
    path: RelationPath | undefined,
    trail: readonly PassedOn[],
  ): void => {
    for (const passed of passedOn(models, name, change)) {
      const { child, change, setsNull } = passed
      const kind = change === 'deleted' ? 'deleted' : 'changed'
      const step = stepOf(child)
      const former = trail.find((one) => one.child === child)
      const isPath = path && (!step.hidden || path.length === 0) && !former
      const isCircular = path !== undefined && isSameChange(former?.change, change)
      // Generation by generation, the rows of a circle are found from those with a path only.
      const isKnown = closing[kind].has(child) && (isPath || isCircular)
      if (isKnown || endless[kind].has(child)) continue
      const next = isPath ? [step, ...path] : undefined
      if (!next) (isCircular ? closing : endless)[kind].add(child)
      cascades.push({
        model: child.model,
        relation: child.relation,
        path: next,
        change,
        isCircular,
        setsNull,
      })
      // The way back has been visited.
      if (!isCircular) visit(child.model, change, next, [...trail, passed])
    }
  }
  visit(model, change, [], [])
  return cascades
}

const none: readonly Cascade[] = []

/** From a child to the row that it refers to. */
export function stepOf(child: Child): RelationStep {
  const { field, isVisible } = child.relation
  return { field, isList: false, hidden: isVisible ? undefined : child }
}

/** The rows that the database changes together with a row of the model because they refer to it. */
export function passedOn(models: Models, model: string, change: Change): readonly PassedOn[] {
  return models.get(model)!.children.flatMap((child) => {
    const action = actionOn(child, change)
    if (action === undefined) return []
    const isDeleted = change === 'deleted' && action === 'Cascade'
    const passed: Change = isDeleted ? 'deleted' : new Set(child.relation.fields)
    return [{ child, change: passed, setsNull: action === 'SetNull' }]
  })
}

/** Whether two changes of one relation do the same: both delete, or neither does. */
function isSameChange(one: Change | undefined, other: Change): boolean {
  return one !== undefined && (one === 'deleted') === (other === 'deleted')
}

/** The action that changes the child, if any. */
function actionOn({ relation }: Child, change: Change): ReferentialAction | undefined {
  const isHit = change === 'deleted' || relation.references.some((field) => change.has(field))
  if (!isHit) return undefined
  const action = change === 'deleted' ? relation.onDelete : relation.onUpdate
  return action === 'Restrict' || action === 'NoAction' ? undefined : action
}
