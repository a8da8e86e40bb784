import type { ModelCacheDefinition } from '../cache/policy/definition.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { createModelCache, type CreateModelCacheOptions } from '../create-model-cache.js'
import { createLoadSource } from '../source/load-source.js'
import { MemoryStore } from '../store/memory-store.js'

/** A cache over rows in memory, and what its source was asked for. */
export interface TestCache<Row, Id> {
  readonly cache: ReadThroughCache<Row, Id>
  /** The source. Change it as another process would change the database. */
  readonly rows: Row[]
  /** The ids of each call of the source, in order. */
  readonly loads: (readonly Id[])[]
}

/**
 * Makes a cache of a definition without Nest, Valkey or a database.
 *
 * @param parts replaces single parts: another store, another source
 */
export function createTestCache<Row, Id>(
  definition: ModelCacheDefinition<Row, Id>,
  rows: Row[],
  parts: Partial<CreateModelCacheOptions<Row, Id>> = {},
): TestCache<Row, Id> {
  const loads: (readonly Id[])[] = []
  const fields = definition.idFields
  const source = createLoadSource<Row, Id>((_client, ids) => {
    loads.push(ids)
    const wanted = new Set(ids.map((id) => rowId(fields, id)))
    return rows.filter((row) => wanted.has(rowId(fields, row)))
  }, undefined)
  return { cache: createModelCache(definition, { store: new MemoryStore(), source, ...parts }), rows, loads }
}

/** A text that is equal for an id and for its row. */
function rowId(fields: readonly string[], value: unknown): string {
  const values =
    typeof value === 'object' ? fields.map((field) => (value as Record<string, unknown>)[field]) : [value]
  return JSON.stringify(values.map(String))
}
