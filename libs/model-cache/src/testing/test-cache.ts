import type { ModelCacheDefinition } from '../cache/policy/definition.js'
import type { LookupKeys, NoLookups } from '../cache/policy/lookup-options.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { createModelCache, type CreateModelCacheOptions } from '../create-model-cache.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { createLoadSource } from '../source/load-source.js'
import type { RowQuery, Source } from '../source/source.js'
import { MemoryStore } from '../protocol/index.js'
import { rowFinder } from './find-rows.js'

/** A cache over rows in memory, with a record of its loads. */
export interface TestCache<Row, Id, Keys extends LookupKeys = NoLookups> {
  readonly cache: ReadThroughCache<Row, Id, Keys>
  /** The rows of the source. Change them to simulate writes by another process. */
  readonly rows: Row[]
  /** The ids of each load, in order. */
  readonly loads: (readonly Id[])[]
  /** The queries of lookups, in order: one for each entry, or several, that the store lacks. */
  readonly finds: RowQuery[]
}

/**
 * Creates a cache from a definition, without Nest, Valkey or a database. Its lookups find rows as PostgreSQL would, except those of
 * relations, whose rows it does not have.
 *
 * @param overrides replaces single dependencies, such as the store or the source. A definition without `schema` needs
 * `facts: schemaFactsOf(prisma)` of `model-cache/advanced`, from which its rows are derived; the client need not be connected.
 * @example
 * ```ts
 * const { cache, loads } = createTestCache(userCache, [ada], { facts: schemaFactsOf(prisma) })
 * ```
 */
export function createTestCache<Row, Id, Keys extends LookupKeys = NoLookups>(
  definition: ModelCacheDefinition<Row, Id, Keys>,
  rows: Row[],
  overrides: Partial<CreateModelCacheOptions<Row, Id>> = {},
): TestCache<Row, Id, Keys> {
  const loads: (readonly Id[])[] = []
  const finds: RowQuery[] = []
  const { idFields: fields, lookups } = bindDefinition(definition, overrides.facts)
  const find = rowFinder(lookups)
  const source: Source<Row, Id> = {
    ...createLoadSource<Row, Id>((_client, ids) => {
      loads.push(ids)
      const wanted = new Set(ids.map((id) => rowId(fields, id)))
      return rows.filter((row) => wanted.has(rowId(fields, row)))
    }, undefined),
    find: async (query) => {
      finds.push(query)
      return find(rows, query)
    },
  }
  return {
    cache: createModelCache(definition, { store: new MemoryStore(), source, ...overrides }),
    rows,
    loads,
    finds,
  }
}

/** Returns a string that is equal for an id and its row. */
function rowId(fields: readonly string[], value: unknown): string {
  const values =
    typeof value === 'object' ? fields.map((field) => (value as Record<string, unknown>)[field]) : [value]
  return JSON.stringify(values.map(String))
}
