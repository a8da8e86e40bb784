import type { Child, DataModel, ReferentialAction } from './data-model.js'
import type { Args } from './prisma-internals.js'

/** What happens to a row: it is deleted, or these fields of it change. */
export type Change = 'deleted' | ReadonlySet<string>

/** Relation fields from one row to another, `['auctionItem', 'item']`, and which of them are lists. */
export type Path = readonly { readonly field: string; readonly isList: boolean }[]

/** Rows that the database changes by itself because of a change elsewhere. */
export interface Affected {
  readonly model: string
  /**
   * From the affected row up to the one that is written. Undefined when the way leads through a relation twice, so that it has no
   * end, or through one that the client does not know.
   */
  readonly path: Path | undefined
  readonly change: Change
}

/**
 * Follows the referential actions `Cascade`, `SetNull` and `SetDefault` from a row of the model to the rows that change
 * with it. The schema says them; the database is taken to have the same.
 */
export function affectedBy(models: DataModel, model: string, change: Change): readonly Affected[] {
  const affected: Affected[] = []
  const endless = new Set<Child>()

  const visit = (name: string, change: Change, path: Path | undefined, trail: readonly Child[]): void => {
    for (const child of models.get(name)!.children) {
      const action = actionOf(child, change)
      if (action === undefined || endless.has(child)) continue
      const step = { field: child.relation.field, isList: false }
      const isPath = path && child.relation.isVisible && !trail.includes(child)
      const next = isPath ? [step, ...path] : undefined
      if (!next) endless.add(child)
      const isDeleted = change === 'deleted' && action === 'Cascade'
      const suffered: Change = isDeleted ? 'deleted' : new Set(child.relation.fields)
      affected.push({ model: child.model, path: next, change: suffered })
      visit(child.model, suffered, next, [...trail, child])
    }
  }
  visit(model, change, [], [])
  return affected
}

/** The `where` of rows at the start of a path, given that of the row at its end. */
export function whereOf(path: Path, where: Args): Args {
  return path.reduceRight<Args>(
    (inner, { field, isList }) => ({ [field]: isList ? { some: inner } : inner }),
    where,
  )
}

/** What a child suffers, if anything. */
function actionOf({ relation }: Child, change: Change): ReferentialAction | undefined {
  const isHit = change === 'deleted' || relation.references.some((field) => change.has(field))
  if (!isHit) return undefined
  const action = change === 'deleted' ? relation.onDelete : relation.onUpdate
  return action === 'Restrict' || action === 'NoAction' ? undefined : action
}
