import type { ModelCacheDefinition } from '../cache/policy/definition.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { createModelCache, type CreateModelCacheOptions } from '../create-model-cache.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { createLoadSource } from '../source/load-source.js'
import { MemoryStore } from '../store/memory-store.js'

/** A cache over rows in memory, with a record of its loads. */
export interface TestCache<Row, Id> {
  readonly cache: ReadThroughCache<Row, Id>
  /** The rows of the source. Change them to simulate writes by another process. */
  readonly rows: Row[]
  /** The ids of each load, in order. */
  readonly loads: (readonly Id[])[]
}

/**
 * Creates a cache from a definition, without Nest, Valkey or a database.
 *
 * @param overrides replaces single dependencies, such as the store or the source. A definition without `schema` needs
 * `facts: schemaFactsOf(prisma)` of `model-cache/advanced`, from which its rows are derived; the client need not be connected.
 * @example
 * ```ts
 * const { cache, loads } = createTestCache(userCache, [ada], { facts: schemaFactsOf(prisma) })
 * ```
 */
export function createTestCache<Row, Id>(
  definition: ModelCacheDefinition<Row, Id>,
  rows: Row[],
  overrides: Partial<CreateModelCacheOptions<Row, Id>> = {},
): TestCache<Row, Id> {
  const loads: (readonly Id[])[] = []
  const { idFields: fields } = bindDefinition(definition, overrides.facts)
  const source = createLoadSource<Row, Id>((_client, ids) => {
    loads.push(ids)
    const wanted = new Set(ids.map((id) => rowId(fields, id)))
    return rows.filter((row) => wanted.has(rowId(fields, row)))
  }, undefined)
  return {
    cache: createModelCache(definition, { store: new MemoryStore(), source, ...overrides }),
    rows,
    loads,
  }
}

/** Returns a string that is equal for an id and its row. */
function rowId(fields: readonly string[], value: unknown): string {
  const values =
    typeof value === 'object' ? fields.map((field) => (value as Record<string, unknown>)[field]) : [value]
  return JSON.stringify(values.map(String))
}
