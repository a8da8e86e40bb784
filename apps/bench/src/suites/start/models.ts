import { PrismaPg } from '@prisma/adapter-pg'
import { Prisma, PrismaClient } from '#prisma/client/client.js'

const states = ['draft', 'open', 'sold', 'cancelled'] as const

/** By the kind of a field: its type in a Prisma schema, and the value of the n-th field. */
const kinds = {
  string: ['String', (n: number) => `text ${n}`],
  number: ['Int', (n: number) => n],
  boolean: ['Boolean', (n: number) => n % 2 === 0],
  date: ['DateTime', (n: number) => new Date(1_700_000_000_000 + n)],
  decimal: ['Decimal', (n: number) => new Prisma.Decimal(n).div(100)],
  json: ['Json', (n: number) => ({ images: [{ url: `${n}.png`, width: n }] })],
  state: ['State', (n: number) => states[n % states.length]],
  strings: ['String[]', (n: number) => [`tag ${n}`, 'tag']],
} as const
export type Kind = keyof typeof kinds

export interface ModelShape {
  readonly name: string
  readonly fields: readonly { readonly name: string; readonly kind: Kind; readonly isNullable: boolean }[]
}

/** The fields of any model beside its id, as a real schema of this size has them: mostly strings, dates and amounts. */
const others =
  'string date string string? decimal boolean number date? string state decimal? json boolean number? strings string? date ' +
  'state? string number'

/** Different models with these numbers of fields in turn, 20 on average. */
const sizes = [20, 8, 12, 16, 24, 28, 32]

export function modelShapes(count: number): readonly ModelShape[] {
  const order = others.split(' ')
  return Array.from({ length: count }, (_, model) => {
    const fields = Array.from({ length: sizes[model % sizes.length]! - 1 }, (_, field) => {
      const kind = order[(field * 7 + model) % order.length]!
      const name = `field${field}Of${model}`
      return { name, kind: kind.replace('?', '') as Kind, isNullable: kind.endsWith('?') }
    })
    return { name: `Model${model}`, fields: [{ name: 'id', kind: 'string', isNullable: false }, ...fields] }
  })
}

/** A row of a model as its source loads it. */
export function rowOf({ fields }: ModelShape, id: string): { id: string } {
  return { ...Object.fromEntries(fields.map(({ name, kind }, n) => [name, kinds[kind][1](n)])), id }
}

/** Creates a client of these models, as it is generated from their schema. It has no database. */
export function clientOf(shapes: readonly ModelShape[]): PrismaClient {
  const blocks = shapes.map(({ name, fields }) => {
    const lines = fields.map((field) => {
      const id = field.name === 'id' ? ' @id' : ''
      return `  ${field.name} ${kinds[field.kind][0]}${field.isNullable ? '?' : ''}${id}`
    })
    return `model ${name} {\n${lines.join('\n')}\n}`
  })
  const models = Object.fromEntries(
    shapes.map((shape) => {
      const fields = shape.fields.map(({ name, kind }) => {
        const type = kinds[kind][0].replace('[]', '')
        return { name, type, kind: type === 'State' ? 'enum' : 'scalar' }
      })
      return [shape.name, { fields, dbName: null }]
    }),
  )
  const configOverride = (config: object) => ({
    ...config,
    inlineSchema: [`enum State {\n${states.join('\n')}\n}`, ...blocks].join('\n'),
    runtimeDataModel: { models, enums: {}, types: {} },
  })
  const adapter = new PrismaPg({ connectionString: 'postgresql://localhost:1/none' })
  return new PrismaClient({ adapter, __internal: { configOverride } } as never)
}
