import { type } from 'arktype'
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import { json } from 'model-cache/codec'
import { decimal } from '../../harness/fixtures/fixture.ts'
import { type ModelShape, rowOf } from './models.ts'

type Definitions = readonly ModelCacheDefinition<{ id: string }, string>[]

/** Defines a cache of each model, whose rows are derived from the schema of its client. */
export function deriveCaches(shapes: readonly ModelShape[]): Definitions {
  // eslint-disable-next-line typescript/no-explicit-any -- models that no client was generated for
  const { defineModelCache } = modelCaches<any>()
  return shapes.map(({ name }) => defineModelCache(name, { ttl: '1h' } as never) as never)
}

const types = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'Date',
  decimal,
  json,
  state: type("'draft' | 'open' | 'sold' | 'cancelled'"),
  strings: 'string[]',
}

/** Defines a cache of each model, by a schema of ArkType. */
export function defineCaches(shapes: readonly ModelShape[]): Definitions {
  const { defineModelCache } = modelCaches()
  return shapes.map((shape) => {
    const fields = shape.fields.map(({ name, kind, isNullable }) => {
      const present = types[kind]
      if (!isNullable) return [name, present]
      return [name, typeof present === 'string' ? `${present} | null` : present.or('null')]
    })
    return defineModelCache<{ id: string }>()({
      model: shape.name,
      schema: type(Object.fromEntries(fields) as never) as never,
      id: 'id',
      ttl: '1h',
      dependsOn: [],
      load: (_: unknown, ids: readonly string[]) => ids.map((id) => rowOf(shape, id)),
    })
  })
}
