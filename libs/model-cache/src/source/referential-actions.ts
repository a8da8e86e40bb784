import type { Child, Model, Models, ReferentialAction } from './schema-facts.js'

/** What happens to a row: it is deleted, or these fields change. */
export type Change = 'deleted' | ReadonlySet<string>

/** What a change of a row does to the rows that refer to it, one level below. */
export interface PassedOn {
  readonly child: Child
  readonly change: Change
}

/**
 * Follows the referential actions `Cascade`, `SetNull` and `SetDefault` from a row of the model to all rows that may change with it, each
 * relation once for deletions and once for other changes. It trusts the schema: the database must have the same actions. Of the rows on the
 * way, triggers and generated columns may change other fields, and a trigger may keep a row that is to be deleted.
 */
export function* cascadesFrom(
  models: Models,
  model: string,
  change: Change,
  [deleting, changing]: readonly [Set<Child>, Set<Child>] = [new Set(), new Set()],
): Generator<PassedOn, void> {
  for (const passed of passedOn(models, model, change)) {
    const seen = passed.change === 'deleted' ? deleting : changing
    if (seen.has(passed.child)) continue
    seen.add(passed.child)
    yield passed
    const child = models.get(passed.child.model)!
    if (passed.change === 'deleted')
      yield* cascadesFrom(models, child.name, passed.change, [deleting, changing])
    yield* cascadesFrom(models, child.name, withOthers(child, passed.change), [deleting, changing])
  }
}

/** All fields of a model, also those that the client lacks, to which rows of others may refer. */
export function allFieldsOf({ hiddenFields, scalars }: Model): ReadonlySet<string> {
  return new Set([...scalars.keys(), ...hiddenFields.values()])
}

/**
 * With all fields that triggers may change: a primary key they leave as it is.
 *
 * @param fields what they may change. @default all fields of the model
 */
export function withOthers(model: Model, change: Change, fields = allFieldsOf(model)): ReadonlySet<string> {
  const others = [...fields].filter((field) => !model.primaryKey.includes(field))
  return new Set(change === 'deleted' ? others : [...change, ...others])
}

/** The rows that the database changes together with a row of the model because they refer to it. */
export function passedOn(models: Models, model: string, change: Change): readonly PassedOn[] {
  return models.get(model)!.children.flatMap((child) => {
    const action = actionOn(child, change)
    if (action === undefined) return []
    const isDeleted = change === 'deleted' && action === 'Cascade'
    return [{ child, change: isDeleted ? 'deleted' : new Set(child.relation.fields) }]
  })
}

/** The action that changes the child, if any. */
function actionOn({ relation }: Child, change: Change): ReferentialAction | undefined {
  const isHit = change === 'deleted' || relation.references.some((field) => change.has(field))
  if (!isHit) return undefined
  const action = change === 'deleted' ? relation.onDelete : relation.onUpdate
  return action === 'Restrict' || action === 'NoAction' ? undefined : action
}
