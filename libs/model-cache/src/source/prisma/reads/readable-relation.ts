import type { Model, Relation, SchemaFacts } from '../../schema-facts.js'

/** The relations of a model that clients see, by field; undefined for one of which too little is known. */
export function readableRelationsOf(
  facts: SchemaFacts,
  model: Model,
): ReadonlyMap<string, Relation | undefined> {
  const isKnown = model.problem === undefined
  return new Map(
    [...model.relationTargets.keys()].map((field) => {
      const relation = isKnown ? model.relations.get(field) : undefined
      return [field, relation && joinsAsRead(facts, model, relation) ? relation : undefined]
    }),
  )
}

/**
 * Whether Prisma, which joins the rows of relations by the texts of their keys, finds those that are equal here. Rows that a list has found
 * by a join table do not show under which text.
 */
function joinsAsRead({ models }: SchemaFacts, own: Model, relation: Relation): boolean {
  const { keyHolder, ownKey, target: name, targetKey } = relation
  const target = models.get(name)!
  if (keyHolder === 'join-table') {
    const keys = [own, target].flatMap(({ primaryKey, scalars }) => primaryKey.map((key) => scalars.get(key)))
    return keys.every((column) => column?.hasOneText === true && !column.isLoose)
  }
  return ownKey.every((field, i) => {
    const column = own.scalars.get(field)
    return column?.hasOneText === true && column.kind === target.scalars.get(targetKey[i]!)?.kind
  })
}

/** The fields of a model by which clients select rows of relations, or `_count` of them. */
export function relationNamesOf({ relationTargets, relations }: Model): ReadonlySet<string> {
  const hasLists = [...relations.values()].some(({ isList, isVisible }) => isList && isVisible)
  return new Set([...relationTargets.keys(), ...(hasLists ? ['_count'] : [])])
}
