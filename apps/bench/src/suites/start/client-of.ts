import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '#prisma/client/client.js'
import { type ModelShape, states } from './models.ts'

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
