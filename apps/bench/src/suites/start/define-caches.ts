import { type } from 'arktype'
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import { json } from 'model-cache/codec'
import { decimal } from '../../harness/fixtures/fixture.ts'
import { type FieldKind, type ModelShape, rowOf, states } from './models.ts'

const { defineModelCache } = modelCaches()

export type Definitions = readonly ModelCacheDefinition<{ id: string }, string>[]

/** Defines a cache of each model, whose rows are derived from the schema of its client. */
export function deriveCaches(shapes: readonly ModelShape[]): Definitions {
  // eslint-disable-next-line typescript/no-explicit-any -- models that no client was generated for
  const { defineModelCache: derive } = modelCaches<any>()
  return shapes.map(({ name }) => derive(name, { ttl: '1h' } as never) as never)
}

/** Defines a cache of each model, by a schema of ArkType. */
export function defineCaches(shapes: readonly ModelShape[]): Definitions {
  return shapes.map((shape) =>
    defineModelCache<{ id: string }>()({
      model: shape.name,
      schema: type(schemaOf(shape) as never) as never,
      id: 'id',
      ttl: '1h',
      dependsOn: [],
      load: (_: unknown, ids: readonly string[]) => ids.map((id) => rowOf(shape, id)),
    }),
  )
}

const types = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'Date',
  decimal,
  json,
  state: type.enumerated(...states),
  strings: 'string[]',
}

function schemaOf({ fields }: ModelShape): object {
  return Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, typeOf(kind)]))
}

function typeOf(kind: FieldKind): unknown {
  const present = types[kind.replace('?', '') as keyof typeof types]
  if (!kind.endsWith('?')) return present
  return typeof present === 'string' ? `${present} | null` : present.or('null')
}
