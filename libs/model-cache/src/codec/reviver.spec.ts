import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { compilePlan } from './compile-plan.js'
import { undecodable } from './codec.js'
import { createPathReviver, createReviver } from './reviver.js'
import { reviverSchemaOf } from './reviver-paths.js'
import { decimalOf } from './row-types.js'
import { createStringifier } from './stringifier.js'
import { createPlanReviver } from './plan-reviver.js'

const decimal = decimalOf(Decimal)
const PageRow = type({
  'endsAt?': 'Date | null',
  items: type({ price: decimal, 'bids?': type({ at: 'Date' }).array().or('null') }).array(),
  byDay: { '[string]': 'Date[]' },
  span: ['Date', 'Date', 'string'],
  'dotted.name': 'Date',
  __ARRAY__: 'bigint',
})

describe('a reviver of paths', () => {
  const plan = compilePlan(PageRow, 'Page')
  const schema = reviverSchemaOf(plan)
  const text = JSON.stringify({
    endsAt: null,
    items: [
      { price: '1.5', bids: [{ at: '2024-10-26T09:12:19.363Z' }] },
      { price: '2', bids: null },
      { price: '3' },
    ],
    byDay: { monday: ['2024-10-26T09:12:19.363Z'], __proto__x: [] },
    span: ['2024-10-26T09:12:19.363Z', '2024-10-27T09:12:19.363Z', '2024-10-28T09:12:19.363Z'],
    'dotted.name': '2024-10-26T09:12:19.363Z',
    __ARRAY__: '12',
    undeclared: '2024-10-26T09:12:19.363Z',
  })

  it('returns what the reviver of the plan returns', () => {
    const walked = createPathReviver(schema, Decimal)(JSON.parse(text))
    const { undeclared: _, ...declared } = walked as Record<string, unknown>
    const { undeclared: __, ...known } = JSON.parse(text) as Record<string, unknown>
    expect(() => createPlanReviver(plan)(JSON.parse(text))).toThrow('a key that the schema does not have')
    expect(createPlanReviver(plan)(known)).toStrictEqual(declared)
    expect(walked).toMatchObject({ span: [expect.any(Date), expect.any(Date), '2024-10-28T09:12:19.363Z'] })
    expect(walked).toMatchObject({ undeclared: '2024-10-26T09:12:19.363Z', __ARRAY__: 12n })
  })

  it('visits the declared paths and no other keys of the payload', () => {
    const read: PropertyKey[] = []
    const payload = new Proxy(JSON.parse(text) as object, {
      get: (target, key, receiver) => {
        read.push(key)
        return Reflect.get(target, key, receiver) as unknown
      },
      ownKeys: () => {
        throw new Error('keys were listed')
      },
    })
    createPathReviver(schema, Decimal)(payload)
    expect(new Set(read)).toEqual(new Set(['endsAt', 'items', 'byDay', 'span', 'dotted.name', '__ARRAY__']))
  })

  it('refuses a decimal without a class, and an unknown scalar', () => {
    expect(() => createReviver<{ price: Decimal }>({ price: 'decimal' })).toThrow(
      '"price" is a decimal, but there is no Decimal class',
    )
    expect(() => createReviver({ at: 'datum' } as never)).toThrow(
      'unknown scalar "datum"; expected one of date, bigint, bytes, decimal.',
    )
  })

  it('parses the output of a stringifier and refuses damaged input', () => {
    interface Bid {
      at: Date
      amount: Decimal
    }
    const stringifier = createStringifier<Bid>()(type({ at: 'Date', amount: decimal }))
    const reviver = createReviver<Bid>({ at: 'date', amount: 'decimal' }, { Decimal })
    const bid = { at: new Date(5), amount: new Decimal('-0') }
    expect(reviver.revive(stringifier.stringify(bid))).toStrictEqual(bid)
    expect(reviver.revive(stringifier.stringify(null))).toBeNull()
    expect(reviver.revive(stringifier.stringify(undefined))).toBeUndefined()
    expect(reviver.revive('{"at":"never","amount":"1"}')).toBe(undecodable)
    expect(reviver.revive('{')).toBe(undecodable)
  })
})
