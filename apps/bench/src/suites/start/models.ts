import { Prisma } from '#prisma/client/client.js'

const { Decimal } = Prisma

/** The kind of a field as a Prisma schema has it; `?` for a nullable one. */
export type FieldKind = keyof typeof samples | `${keyof typeof samples}?`

export interface ModelShape {
  readonly name: string
  readonly fields: Readonly<Record<string, FieldKind>>
}

export const states = ['draft', 'open', 'sold', 'cancelled'] as const

const samples = {
  string: (n: number) => `text ${n}`,
  number: (n: number) => n,
  boolean: (n: number) => n % 2 === 0,
  date: (n: number) => new Date(1_700_000_000_000 + n),
  decimal: (n: number) => new Decimal(n).div(100),
  json: (n: number) => ({ images: [{ url: `${n}.png`, width: n }] }),
  state: (n: number) => states[n % states.length],
  strings: (n: number) => [`tag ${n}`, 'tag'],
}

/** The fields of any model beside its id, as a real schema of this size has them: mostly strings, dates and amounts. */
const kinds: readonly FieldKind[] = [
  'string',
  'date',
  'string',
  'string?',
  'decimal',
  'boolean',
  'number',
  'date?',
  'string',
  'state',
  'decimal?',
  'json',
  'boolean',
  'number?',
  'strings',
  'string?',
  'date',
  'state?',
  'string',
  'number',
]

/** Different models with these numbers of fields in turn, 20 on average. */
const sizes = [20, 8, 12, 16, 24, 28, 32]

export function modelShapes(count: number): readonly ModelShape[] {
  return Array.from({ length: count }, (_, model): ModelShape => {
    const others = Array.from({ length: sizes[model % sizes.length]! - 1 }, (_, field) => {
      const kind = kinds[(field * 7 + model) % kinds.length]!
      return [`field${field}Of${model}`, kind] as const
    })
    return { name: `Model${model}`, fields: { id: 'string', ...Object.fromEntries(others) } }
  })
}

/** A row of a model as its source loads it. */
export function rowOf({ fields }: ModelShape, id: string): { id: string } {
  const values = Object.entries(fields).map(([name, kind], n) => [
    name,
    samples[kind.replace('?', '') as keyof typeof samples](n),
  ])
  return { ...Object.fromEntries(values), id }
}
