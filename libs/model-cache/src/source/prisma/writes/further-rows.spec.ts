import { AffectedRows } from '../../affected-rows.js'
import type { Change } from '../../referential-actions.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { whereOf } from './conditions.js'
import { claimExisting, lookUpLater, type Way } from './further-rows.js'
import type { NestedPlan } from './write-plan.js'

const { models } = describeSchemaText(`
model Shop {
  id     Int     @id
  orders Order[]
  prices Price[]
}
model Order {
  id     Int    @id
  shopId Int
  shop   Shop   @relation(fields: [shopId], references: [id])
  other  Shop   @relation("Other", fields: [shopId], references: [id])
  lines  Line[]
}
model Price {
  amount Decimal @id
  shopId Int
  shop   Shop    @relation(fields: [shopId], references: [id])
}
model Line {
  id      Int   @id
  orderId Int
  order   Order @relation(fields: [orderId], references: [id])
}
`)

const never = (): never => {
  throw new Error('planning begins nothing')
}

/** A plan, and what it looks up, as `model when where`. */
function planning() {
  const coordinator = {
    idFieldsOf: () => [['id']],
    lookupsOf: () => [],
    prepare: never,
    begin: never,
    within: never,
  }
  const affected = new AffectedRows(coordinator, 3)
  const plan: NestedPlan = {
    models,
    coordinator,
    locksRows: true,
    affected,
    furtherRows: [],
    shifts: undefined,
    contested: new Set<string>(),
  }
  const found = () =>
    plan.furtherRows.map(
      ({ model, when, path, from }) => `${model} ${when} ${JSON.stringify(whereOf(path, from ?? {}))}`,
    )
  return { plan, found }
}

const [shop, order, line] = [models.get('Shop')!, models.get('Order')!, models.get('Line')!]
const change: Change = new Set(['name'])
const update = { change, after: {} }
const step = (model: string, field: string, isList = false) => ({ model, field, isList })
const viaOrder: Way = { from: undefined, steps: [step('Line', 'order'), step('Order', 'shop')] }
const later = (field: string) => [{ field, isList: false }]

describe('rows of nested writes', () => {
  it('are found once for all writes on the same way', () => {
    const { plan, found } = planning()
    expect(claimExisting(plan, line, viaOrder, update)).toBe(true)
    expect(claimExisting(plan, line, viaOrder, update)).toBe(true)
    expect(found()).toEqual([
      'Order before {"shop":{}}',
      'Line before {"order":{"shop":{}}}',
      'Line before {"order":{"shop":{}}}',
    ])
  })

  it('are found through rows that are there before the write, by the same way from the same row', () => {
    const { plan, found } = planning()
    lookUpLater(plan, 'Order', later('shop'), undefined)
    const from = { model: 'Shop', where: { id: 1 } }
    claimExisting(plan, order, { from, steps: [step('Order', 'shop')] }, update)
    claimExisting(plan, order, { from: undefined, steps: [step('Order', 'other')] }, update)
    claimExisting(plan, shop, { from: undefined, steps: [step('Shop', 'shop')] }, update)
    expect(found()).toEqual([
      'Order after {"shop":{}}',
      'Shop before {"id":1}',
      'Order before {"shop":{"id":1}}',
      'Order before {"other":{}}',
      'Shop before {"shop":{}}',
    ])
    claimExisting(plan, line, viaOrder, update)
    expect(found().slice(-2)).toEqual(['Order before {"shop":{}}', 'Line before {"order":{"shop":{}}}'])
  })

  it('are not found through rows that no query finds again', () => {
    const { plan, found } = planning()
    const steps = [step('Order', 'price'), step('Price', 'shop')]
    expect(claimExisting(plan, order, { from: undefined, steps }, update)).toBe(false)
    expect(found()).toEqual([])
  })
})

describe('rows to look up after the write', () => {
  const name = new Set(['name'])
  const both = new Set(['state', 'name'])
  it.each<[string, readonly (ReadonlySet<string> | undefined)[], boolean, ReadonlySet<string> | undefined]>([
    ['new ones', [undefined], true, undefined],
    ['several new ones', [undefined, undefined], true, undefined],
    ['changed ones', [name], false, name],
    ['changed ones of two writes', [name, new Set(['state'])], false, both],
    ['new and changed ones', [undefined, name], false, undefined],
    ['changed and new ones', [name, undefined], false, undefined],
  ])('are the same at one path: %s', (_, changes, areNew, change) => {
    const { plan } = planning()
    for (const each of changes) lookUpLater(plan, 'Order', later('shop'), each)
    expect(plan.furtherRows).toEqual([
      { model: 'Order', when: 'after', path: later('shop'), reason: 'nested', areNew, change, after: {} },
    ])
  })

  it('differ by path, model, and whether they are looked up before', () => {
    const { plan, found } = planning()
    claimExisting(plan, order, { from: undefined, steps: [step('Order', 'shop')] }, update)
    lookUpLater(plan, 'Order', later('shop'), undefined)
    lookUpLater(plan, 'Order', later('other'), undefined)
    lookUpLater(plan, 'Price', later('shop'), undefined)
    lookUpLater(plan, 'Order', [...later('shop'), ...later('shop')], undefined)
    lookUpLater(plan, 'Order', [...later('shop'), ...later('other')], undefined)
    expect(found()).toEqual([
      'Order before {"shop":{}}',
      'Order after {"shop":{}}',
      'Order after {"other":{}}',
      'Price after {"shop":{}}',
      'Order after {"shop":{"shop":{}}}',
      'Order after {"shop":{"other":{}}}',
    ])
  })
})
