import type { AnsweringCache } from '../../read-caches.js'
import type { Model, SchemaFacts } from '../../schema-facts.js'
import { type IdFieldFacts, idFieldFacts } from './id-values.js'

/** A cache, and what its model says about how its rows are requested. */
export interface ReadableCache {
  readonly cache: AnsweringCache
  readonly id: readonly IdFieldFacts[]
  /** The names by which `findUnique` takes an id of several fields; empty for an id of one field. */
  readonly keyNames: ReadonlySet<string>
  /** The fields whose values it gives as the database does. */
  readonly fields: ReadonlySet<string>
}

/** The models of a client as queries see them. */
export interface ReadModels {
  /** The scalar fields of a model, in the order of rows. */
  scalarsOf(model: string): readonly string[]
  /** Returns undefined if the cache cannot answer queries. */
  readable(cache: AnsweringCache): ReadableCache | undefined
}

export function readModelsOf(facts: SchemaFacts): ReadModels {
  const scalarsOf = (model: string): readonly string[] => [...(facts.models.get(model)?.scalars.keys() ?? [])]
  return {
    scalarsOf,
    readable(cache) {
      const { model, idFields, fields, exactFields } = cache
      const described = facts.models.get(model)
      if (!described || described.problem !== undefined) return undefined
      const id = idFields.flatMap((field) => idFieldFacts(facts, model, field) ?? [])
      const isKnown = fields.every((field) => described.scalars.has(field))
      const names = keyNamesOf(described, idFields)
      if (!isKnown || id.length < idFields.length || names.length === 0) return undefined
      return {
        cache,
        id,
        keyNames: new Set(idFields.length === 1 ? [] : names),
        fields: new Set(exactFields),
      }
    },
  }
}

/** The names of the keys that consist of these fields, in any order; empty if they are not unique. */
function keyNamesOf({ uniqueKeys }: Model, idFields: readonly string[]): readonly string[] {
  return [...uniqueKeys].filter(([, fields]) => isSame(fields, idFields)).map(([name]) => name)
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((field) => other.includes(field))
}
