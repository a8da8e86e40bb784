import { type } from 'arktype'
import { compilePlan } from '../compile-plan.js'
import type { WirePlan } from '../wire-plan.js'
import { constantsInWireOrder, inWireOrder } from './wire-order.js'

const fieldsOf = (plan: WirePlan) => (plan.kind === 'object' ? plan.fields : [])

describe('the order of fields in a record', () => {
  const names = 'b a Z é z 10 9 4294967295 _x 01 -1 a! a" a\\ a\n ab aB a_b 🎁 \ud83c \ue000'.split(' ')

  it('is that of ArkType: integers, then required, then optional fields, each by name', () => {
    const schema = type.schema({
      domain: 'object',
      required: names.map((key) => ({ key, value: 'string' })),
      optional: [...names.map((name) => `${name}?`), '7', ''].map((key) => ({ key, value: 'number' })),
    })
    const fields = fieldsOf(compilePlan(schema as never, 'Lot'))
    expect(inWireOrder(fields.toReversed())).toEqual(fields)
    expect(fields.map(({ name }) => name).slice(0, 6)).toEqual(['7', '9', '10', '-1', '01', '4294967295'])
  })

  it('is that of the keys of a hand-written schema, however ArkType sorts them', () => {
    const string = { type: 'string' }
    const properties = { title: string, 'note?': string, id: string, endsAt: string }
    const schema = {
      toJsonSchema: () => ({ type: 'object', properties, required: ['title', 'id', 'endsAt'] }),
    }
    const fields = fieldsOf(compilePlan(schema as never, 'Lot'))
    expect(fields.map(({ name }) => name)).toEqual(['endsAt', 'id', 'title', 'note?'])
  })
})

describe('the order of constants in a record', () => {
  it('is that of ArkType', () => {
    const constants = [
      'z',
      'b',
      10,
      9,
      1,
      1.5,
      -1,
      '10',
      true,
      'B',
      'é',
      'a"',
      'a!',
      'a',
      0,
      1e21,
      5e-324,
      '',
      '}',
    ]
    const plan = compilePlan(type.enumerated(...constants) as never, 'Lot')
    const values = plan.kind === 'literal' ? plan.values : []
    expect(values).toHaveLength(constants.length)
    expect(constantsInWireOrder(constants)).toEqual(values)
    expect(constantsInWireOrder(constants.toReversed())).toEqual(values)
  })
})
