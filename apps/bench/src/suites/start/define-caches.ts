import { type } from 'arktype'
import { PrismaPg } from '@prisma/adapter-pg'
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import { json } from 'model-cache/codec'
import { decimal } from '../../harness/fixtures/fixture.ts'
import { PrismaClient } from '#prisma/client/client.js'
import { type FieldKind, type ModelShape, rowOf, states } from './models.ts'

const { defineModelCache } = modelCaches()

export type Definitions = readonly ModelCacheDefinition<{ id: string }, string>[]

/** Defines a cache of each model, whose rows are derived from the schema of its client. */
export function deriveCaches(shapes: readonly ModelShape[]): Definitions {
  // eslint-disable-next-line typescript/no-explicit-any -- models that no client was generated for
  const { defineModelCache: derive } = modelCaches<any>()
  return shapes.map(({ name }) => derive(name, { ttl: '1h' } as never) as never)
}

const prismaTypes = {
  string: 'String',
  number: 'Int',
  boolean: 'Boolean',
  date: 'DateTime',
  decimal: 'Decimal',
  json: 'Json',
  state: 'State',
  strings: 'String[]',
}

/** Creates a client of these models, as it is generated from their schema. It has no database. */
export function clientOf(shapes: readonly ModelShape[]): PrismaClient {
  const fieldsOf = ({ fields }: ModelShape) =>
    Object.entries(fields).map(([name, kind]) => {
      const type = prismaTypes[kind.replace('?', '') as keyof typeof prismaTypes]
      return {
        name,
        type: type.replace('[]', ''),
        kind: type === 'State' ? 'enum' : 'scalar',
        written: type + kind.replace(/\w+/, ''),
      }
    })
  const blocks = shapes.map((shape) => {
    const lines = fieldsOf(shape).map(
      ({ name, written }) => `  ${name} ${written}${name === 'id' ? ' @id' : ''}`,
    )
    return `model ${shape.name} {\n${lines.join('\n')}\n}`
  })
  const models = Object.fromEntries(
    shapes.map((shape) => [shape.name, { fields: fieldsOf(shape), dbName: null }]),
  )
  const configOverride = (config: object) => ({
    ...config,
    inlineSchema: [`enum State {\n${states.join('\n')}\n}`, ...blocks].join('\n'),
    runtimeDataModel: { models, enums: {}, types: {} },
  })
  const adapter = new PrismaPg({ connectionString: 'postgresql://localhost:1/none' })
  return new PrismaClient({ adapter, __internal: { configOverride } } as never)
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
