import type { AnsweringCache } from '../../read-caches.js'
import type { SchemaFacts } from '../../schema-facts.js'
import { runtimeModelsOf, schemaOf } from '../internals.js'
import { parseSchema, type SchemaModel } from '../schema/parse-schema.js'
import { type IdFieldFacts, idFieldFacts } from './id-values.js'

/** A cache, and what its model says about how its rows are requested. */
export interface ReadableCache {
  readonly cache: AnsweringCache
  readonly id: readonly IdFieldFacts[]
  /** The names by which `findUnique` takes an id of several fields; empty for an id of one field. */
  readonly keyNames: ReadonlySet<string>
  /** The fields whose values it gives as the database does. */
  readonly fields: ReadonlySet<string>
  /** Those of them whose keys are to be put in the order of `jsonb`. */
  readonly jsonFields: readonly string[]
}

/** The models of a client as queries see them. */
export interface ReadModels {
  /** The scalar fields of a model, in the order of rows. */
  scalarsOf(model: string): readonly string[]
  /** Returns undefined if the cache cannot answer queries. */
  readable(cache: AnsweringCache): ReadableCache | undefined
}

export function readModelsOf(client: object, facts: SchemaFacts): ReadModels {
  const { models } = parseSchema(schemaOf(client))
  const runtime = runtimeModelsOf(client)
  const scalarsOf = (model: string): readonly string[] =>
    (runtime[model]?.fields ?? [])
      .filter(({ kind }) => kind === 'scalar' || kind === 'enum')
      .map(({ name }) => name)
  return {
    scalarsOf,
    readable(cache) {
      const { model, idFields, fields, rebuiltFields } = cache
      const schema = models.get(model)
      const id = idFields.flatMap((field) => idFieldFacts(facts, model, field) ?? [])
      const scalars = scalarsOf(model)
      const known = fields.every((field) => scalars.includes(field))
      if (!schema || !known || id.length < idFields.length || facts.models.get(model)?.problem)
        return undefined
      const names = keyNamesOf(schema, idFields)
      if (names.length === 0) return undefined
      return {
        cache,
        id,
        keyNames: new Set(idFields.length === 1 ? [] : names),
        fields: new Set(
          fields.filter((field) => !rebuiltFields.includes(field) || isJsonb(facts, model, field)),
        ),
        jsonFields: rebuiltFields.filter((field) => isJsonb(facts, model, field)),
      }
    },
  }
}

/** The names of the keys that consist of these fields, in any order; empty if they are not unique. */
function keyNamesOf({ primaryKey, primaryKeyName, uniqueKeys }: SchemaModel, idFields: readonly string[]) {
  const keys = [{ fields: primaryKey, name: primaryKeyName, isPartial: false }, ...uniqueKeys]
  return keys
    .filter(({ fields, isPartial }) => !isPartial && isSame(fields, idFields))
    .map(({ fields, name }) => name ?? fields.join('_'))
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((field) => other.includes(field))
}

/** Whether the order of keys is that of PostgreSQL's `jsonb`, not that in which they were written. */
function isJsonb({ models, provider }: SchemaFacts, model: string, field: string): boolean {
  const { type, nativeType = 'JsonB' } = models.get(model)?.scalars.get(field) ?? {}
  return type === 'Json' && nativeType === 'JsonB' && (provider === 'postgresql' || provider === 'postgres')
}
