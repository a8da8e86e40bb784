import type { Model, Models, Relation } from '../../schema-facts.js'
import { changesOf, fieldsOf, pinnedBy, type Row } from './literals.js'

/**
 * The values that the row of a create will have, as far as its `data` shows them, foreign keys of relations among them.
 *
 * @param changes what {@link changesOf} finds in the `data`
 */
export function rowAfterCreate(
  models: Models,
  model: Model,
  data: unknown,
  changes = changesOf(model, data),
): Row {
  return { ...changes, ...foreignKeysIn(models, model, data).set }
}

/**
 * The fields that the `data` of an update may change, with the values that they will have; undefined where it does not show them.
 *
 * @param changes what {@link changesOf} finds in the `data`
 */
export function changesAfterUpdate(
  models: Models,
  model: Model,
  data: unknown,
  changes = changesOf(model, data),
): Row {
  const { set, kept } = foreignKeysIn(models, model, data)
  if (kept.size === 0) return { ...timesOfUpdate(model), ...changes, ...set }
  const changed = Object.entries(changes).filter(([field]) => !kept.has(field))
  return { ...timesOfUpdate(model), ...Object.fromEntries(changed), ...set }
}

/** The fields that Prisma sets to the time of an update. */
export function timesOfUpdate(model: Model): Row {
  let times = updateTimes.get(model)
  if (!times) {
    const fields = [...model.scalars].filter(([, { isUpdatedAt }]) => isUpdatedAt)
    updateTimes.set(model, (times = Object.fromEntries(fields.map(([field]) => [field, undefined]))))
  }
  return times
}

const updateTimes = new WeakMap<Model, Row>()

/** The foreign key, by its fields, of a row whose relation leads to another row; undefined where that one's values are unknown. */
export function foreignKeyTo(model: Model, { fields, references }: Relation, other: Row): Row {
  return Object.fromEntries(
    fields.map((field, index) => {
      const scalar = model.scalars.get(field)
      return [field, scalar?.literalOf(other[references[index]!])]
    }),
  )
}

/** The fields that two sources of a row give different values, such as two relations that share a field of their keys. */
function conflictsBetween(one: Row, other: Row): readonly string[] {
  return Object.keys(other).filter((field) => field in one && one[field] !== other[field])
}

/** What both sources of a row give; undefined where it is unknown with which value the row ends. */
export function joined(one: Row, other: Row): Row {
  const unknown = conflictsBetween(one, other).map((field) => [field, undefined])
  return { ...one, ...other, ...Object.fromEntries(unknown) }
}

/** Drops fields that are set to the value that the `where` already requires. */
export function withoutPinned(changes: Row, pinned: Row): Row {
  const fields = Object.keys(changes)
  const isKept = (field: string): boolean => changes[field] === undefined || changes[field] !== pinned[field]
  // Nearly always.
  if (fields.every(isKept)) return changes
  return Object.fromEntries(fields.filter(isKept).map((field) => [field, changes[field]]))
}

/** What the `where` has pinned and the query does not change. */
export function without(pinned: Row, changes: Row): Row {
  return Object.fromEntries(Object.entries(pinned).filter(([field]) => !(field in changes)))
}

/** The foreign keys that `data` sets through relations, and the fields of those that it keeps: an update of the other row changes none. */
function foreignKeysIn(
  models: Models,
  model: Model,
  data: unknown,
): { readonly set: Row; readonly kept: ReadonlySet<string> } {
  let set: Row = {}
  const kept = new Set<string>()
  for (const [name, given] of Object.entries(fieldsOf(data))) {
    const relation = model.relations.get(name)
    if (relation?.keyHolder !== 'this' || given === undefined) continue
    const operations = Object.entries(fieldsOf(given)).filter(([, argument]) => argument !== undefined)
    if (operations.every(([operation]) => operation === 'update'))
      relation.fields.forEach((field) => kept.add(field))
    else set = joined(set, foreignKeyTo(model, relation, otherSideOf(models, relation, operations)))
  }
  return { set, kept }
}

/** What is known of the row that one operation puts at the other side of a relation. */
function otherSideOf(
  models: Models,
  { target, references }: Relation,
  operations: readonly [string, unknown][],
): Row {
  const [[operation, argument], second] = operations as [[string, unknown], unknown]
  const model = models.get(target)!
  if (second) return {}
  switch (operation) {
    case 'connect':
      return pinnedBy(model, argument)
    case 'create':
      return rowAfterCreate(models, model, argument)
    case 'connectOrCreate': {
      const { where, create } = fieldsOf(argument)
      const found = pinnedBy(model, where)
      const created = rowAfterCreate(models, model, create)
      return Object.fromEntries(
        references.filter((field) => found[field] === created[field]).map((field) => [field, found[field]]),
      )
    }
    case 'disconnect':
      return argument === true ? Object.fromEntries(references.map((field) => [field, null])) : {}
    default:
      return {}
  }
}
