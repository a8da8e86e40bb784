import type { Model, Relation, SchemaFacts } from '../../schema-facts.js'

/** A relation, and the fields by which its rows are found. */
export interface ReadableRelation {
  /** The model to which it leads. */
  readonly target: string
  /** The field for this relation there. */
  readonly opposite: string
  readonly isList: boolean
  /** Whether there may be no row at the other side, so that Prisma takes null for it. */
  readonly isNullable: boolean
  /** Whether this side has the foreign key, so that a row exists for each key. */
  readonly holdsKey: boolean
  /** The fields of this side that the fields of the other side are equal to, or the id of this side in a join table. */
  readonly fields: readonly string[]
  /** The fields of the other side, in the order of {@link fields}. */
  readonly targetFields: readonly string[]
  /** The field for this relation at the other side, if a join table has the keys of both sides. */
  readonly through: string | undefined
}

/** The relations of a model that clients see, by field; undefined for one of which too little is known. */
export function readableRelationsOf(
  facts: SchemaFacts,
  model: Model,
): ReadonlyMap<string, ReadableRelation | undefined> {
  const isKnown = model.problem === undefined
  return new Map(
    [...model.relationTargets.keys()].map((field) => {
      const relation = isKnown ? model.relations.get(field) : undefined
      const readable = relation && readableRelationOf(facts, model, relation)
      return [field, readable && joinsAsRead(facts, model, readable) ? readable : undefined]
    }),
  )
}

function readableRelationOf(
  facts: SchemaFacts,
  { primaryKey }: Model,
  relation: Relation,
): ReadableRelation | undefined {
  const { isList, isNullable, keyHolder, target, targetField } = relation
  const common = {
    target,
    opposite: targetField,
    isList,
    isNullable,
    holdsKey: keyHolder === 'this',
    through: undefined,
  }
  switch (keyHolder) {
    case 'this':
      return { ...common, fields: relation.fields, targetFields: relation.references }
    case 'target': {
      const other = facts.models.get(target)?.relations.get(targetField)
      return other && { ...common, fields: other.references, targetFields: other.fields }
    }
    case 'join-table':
      return { ...common, fields: primaryKey, targetFields: primaryKey, through: targetField }
  }
}

/**
 * Whether Prisma, which joins the rows of relations by the texts of their keys, finds those that are equal here. Rows that a list has found
 * by a join table do not show under which text.
 */
function joinsAsRead({ models }: SchemaFacts, own: Model, relation: ReadableRelation): boolean {
  const { fields, target: name, targetFields, through } = relation
  const target = models.get(name)!
  if (through !== undefined) {
    const keys = [own, target].flatMap(({ primaryKey, scalars }) => primaryKey.map((key) => scalars.get(key)))
    return keys.every((column) => column?.hasOneText === true && !column.isLoose)
  }
  return fields.every((field, i) => {
    const column = own.scalars.get(field)
    return column?.hasOneText === true && column.kind === target.scalars.get(targetFields[i]!)?.kind
  })
}

/** The fields of a model by which clients select rows of relations, or `_count` of them. */
export function relationNamesOf({ relationTargets, relations }: Model): ReadonlySet<string> {
  const hasLists = [...relations.values()].some(({ isList, isVisible }) => isList && isVisible)
  return new Set([...relationTargets.keys(), ...(hasLists ? ['_count'] : [])])
}
