import type { Model, SchemaFacts } from '../../schema-facts.js'

/** A relation whose rows have the key of the row from which it leads, or the other way round. */
export interface ReadableRelation {
  /** The model to which it leads. */
  readonly target: string
  readonly isList: boolean
  /** Whether this side has the foreign key, so that a row exists for each key. */
  readonly holdsKey: boolean
  /** The fields of this side that the fields of the other side are equal to. */
  readonly fields: readonly string[]
  /** Those of the other side, in the order of {@link fields}. */
  readonly targetFields: readonly string[]
}

/** The relations of a model that clients see, by field; those with a join table are undefined. */
export function readableRelationsOf(
  facts: SchemaFacts,
  model: Model,
): ReadonlyMap<string, ReadableRelation | undefined> {
  const found = new Map<string, ReadableRelation | undefined>()
  for (const [field, target] of model.relationTargets) {
    const relation = model.relations.get(field)
    const isKnown = relation && relation.keyHolder !== 'join-table' && model.problem === undefined
    // The other side has the foreign key, or this one.
    const holdsKey = relation?.keyHolder === 'this'
    const holder = holdsKey
      ? relation
      : relation && facts.models.get(target)?.relations.get(relation.targetField)
    if (!isKnown || !holder) {
      found.set(field, undefined)
      continue
    }
    const [fields, targetFields] = holdsKey
      ? [holder.fields, holder.references]
      : [holder.references, holder.fields]
    found.set(field, { target, isList: relation.isList, holdsKey, fields, targetFields })
  }
  return found
}

/** The fields of a model by which clients select rows of relations, or `_count` of them. */
export function relationNamesOf({ relationTargets, relations }: Model): ReadonlySet<string> {
  const hasLists = [...relations.values()].some(({ isList, isVisible }) => isList && isVisible)
  return new Set([...relationTargets.keys(), ...(hasLists ? ['_count'] : [])])
}
