import { describeSchemaText, type ShapedArgs } from 'model-cache/internal'
import { typedArguments } from './typed-arguments.js'

const described = describeSchemaText(`
datasource db { provider = "postgresql" }
enum State {
  OPEN
  CLOSED
}
enum Kind {
  ONLY
}
model Team {
  id   Int     @id
  at   DateTime
  some Int
  awesome Int
  island Int
  lots Lot[]
}
model Lot {
  id     Int       @id
  key    String    @db.Uuid
  text   String
  ratio  Float
  large  BigInt
  isHot  Boolean
  at     DateTime
  price  Decimal
  hash   Bytes
  state  State
  kind   Kind
  json   Json
  teamId Int
  team   Team      @relation(fields: [teamId], references: [id])
}`)
const team = described.models.get('Team')!
const facts = {
  ...described,
  models: new Map([
    ...described.models,
    // As of a provider that does not know the values.
    [
      'Team',
      {
        ...team,
        scalars: new Map([
          ...team.scalars,
          ['state', { ...team.scalars.get('id')!, type: 'Enum', databaseValues: undefined }],
        ]),
      },
    ],
  ]),
}

const typed = (model: string, shape: ShapedArgs): unknown => typedArguments(facts, model, shape)
const day = new Date(86_400_000)
const epoch = new Date(0)

describe('arguments of a shape', () => {
  it.each<[string, unknown, readonly unknown[]]>([
    ['id', 0, [0, 1]],
    [
      'key',
      '00000000-0000-4000-8000-000000000000',
      ['00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000001'],
    ],
    ['text', '0', ['0', '1']],
    ['ratio', 0, [0, 1]],
    ['large', 0n, [0n, 1n]],
    ['isHot', true, [true, false]],
    ['at', epoch, [epoch, day]],
    ['hash', new Uint8Array([0]), [new Uint8Array([0]), new Uint8Array([1])]],
    ['state', 'OPEN', ['OPEN', 'CLOSED']],
    ['kind', 'ONLY', ['ONLY', 'ONLY']],
    ['json', '?', ['?', '?']],
    ['nothing', '?', ['?']],
  ])('have values of the type of %s', (field, value, values) => {
    expect(typed('Lot', { where: { [field]: '?' } })).toEqual({ where: { [field]: value } })
    expect(typed('Lot', { where: { [field]: { in: ['?'] } } })).toEqual({
      where: { [field]: { in: values } },
    })
  })

  it('have decimals of the client', () => {
    const { where } = typed('Lot', { where: { price: { in: ['?'] } } }) as {
      where: { price: { in: readonly object[] } }
    }
    expect(where.price.in.map((each) => [facts.Decimal.isDecimal(each), String(each)])).toEqual([
      [true, '0'],
      [true, '1'],
    ])
  })

  it('have no value of an enum whose values are unknown', () => {
    expect(typed('Team', { where: { state: '?' } })).toEqual({ where: { state: undefined } })
  })

  it.each<[string, ShapedArgs, unknown]>([
    ['a cursor', { cursor: { text: '?' } }, { cursor: { text: '0' } }],
    ['null', { where: { text: null } }, { where: { text: null } }],
    [
      'AND, OR and NOT',
      { where: { AND: { text: '?' }, OR: [{ text: '?' }, { id: '?' }], NOT: [{ at: '?' }] } },
      { where: { AND: { text: '0' }, OR: [{ text: '0' }, { id: 0 }], NOT: [{ at: epoch }] } },
    ],
    ['a relation without a filter', { where: { team: { at: '?' } } }, { where: { team: { at: epoch } } }],
    [
      'a filter that is named as a field',
      { where: { team: { some: { at: '?' } } } },
      { where: { team: { some: { at: epoch } } } },
    ],
    [
      'a field that begins as a filter',
      { where: { team: { island: '?' } } },
      { where: { team: { island: 0 } } },
    ],
    [
      'a field that ends as a filter',
      { where: { team: { awesome: '?' } } },
      { where: { team: { awesome: 0 } } },
    ],
    [
      'fields that are named as a filter',
      { where: { team: { some: '?', at: '?' } } },
      { where: { team: { some: 0, at: epoch } } },
    ],
    ['a relation to nothing', { where: { team: null } }, { where: { team: null } }],
    [
      'an argument that is named as a field',
      { orderBy: { where: { at: '?' } }, omit: { team: { where: { at: '?' } } } },
      { orderBy: { where: { at: '?' } }, omit: { team: { where: { at: '?' } } } },
    ],
    [
      'included relations',
      { include: { team: { include: { lots: { where: { text: '?' } } } } } },
      { include: { team: { include: { lots: { where: { text: '0' } } } } } },
    ],
    [
      'counted relations',
      { select: { _count: { select: { team: { where: { at: '?' } } } } } },
      { select: { _count: { select: { team: { where: { at: epoch } } } } } },
    ],
    [
      'unknown relations',
      { include: { nothing: { where: { at: '?' } } } },
      { include: { nothing: { where: { at: '?' } } } },
    ],
    ['a selection that is no object', { select: true, where: 1 }, { select: true, where: 1 }],
  ])('keep %s', (_, shape, args) => {
    expect(typed('Lot', shape)).toEqual(args)
  })

  it('are left as they are for an unknown model', () => {
    const shape = { where: { id: '?', team: { id: '?' } }, include: { team: { where: { id: '?' } } } }
    expect(typed('Unknown', shape)).toEqual(shape)
  })
})
