import { runtimeModelsOf } from './writes/prisma-internals.js'

/** A Prisma `select` or `include`, or any part of one. */
export interface Selecting {
  readonly select?: object | undefined
  readonly include?: object | undefined
}

/** The models of a client, as the schema spells them; empty where the client does not tell. */
export function modelNamesOf(client: object): readonly string[] {
  return Object.keys(runtimeModelsOf(client))
}

/** The relation fields of a model, with the models they lead to. */
export function relationsOf(client: object, model: string): ReadonlyMap<string, string> {
  const fields = runtimeModelsOf(client)[model]?.fields ?? []
  const relations = fields.filter(({ relationName }) => typeof relationName === 'string')
  return new Map(relations.map(({ name, type }) => [name, type]))
}

/**
 * The models that a selection reads through relations, at any depth: those that it selects or counts, and those that its filters and
 * orders look at.
 */
export function relatedModelsOf(
  client: object,
  model: string,
  { select, include }: Selecting,
): readonly string[] {
  const found = new Set<string>()
  const visit = (from: string, part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const relations = relationsOf(client, from)
    for (const [key, value] of Object.entries(part)) {
      const target = relations.get(key)
      if (value === undefined || value === false) continue
      if (target !== undefined) found.add(target)
      // Prisma counts lists, which the client does not tell from single relations.
      if (key === '_count' && value === true) for (const counted of relations.values()) found.add(counted)
      // Keywords such as `where` and `some` stay with the model that they stand in.
      visit(target ?? from, value)
    }
  }
  visit(model, { select, include })
  return [...found]
}
