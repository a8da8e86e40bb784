import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { areDivided, shiftsIn, shiftsOf } from './relation-shifts.js'

const { models } = describeSchemaText(`
model Shop {
  id     Int     @id
  name   String
  orders Order[]
  tags   Tag[]
}
model Order {
  id     Int   @id
  shopId Int
  state  String
  shop   Shop  @relation(fields: [shopId], references: [id])
  lines  Line[]
}
model Line {
  orderId Int
  number  Int
  order   Order @relation(fields: [orderId], references: [id])
  part    Part?

  @@id([orderId, number])
}
model Part {
  id      Int  @id
  orderId Int
  number  Int
  line    Line @relation(fields: [orderId, number], references: [orderId, number])
}
model Tag {
  id    Int    @id
  shops Shop[]
}
model Step {
  id       Int    @id
  nextId   Int?
  next     Step?  @relation("Steps", fields: [nextId], references: [id])
  previous Step[] @relation("Steps")
}
`)
const [shop, order, part] = [models.get('Shop')!, models.get('Order')!, models.get('Part')!]

it.each([
  [part, 'line', ['Part.orderId', 'Part.number']],
  [shop, 'orders', ['Order.shopId']],
  [shop, 'tags', ['Shop.tags,Tag.shops']],
  [models.get('Tag')!, 'shops', ['Shop.tags,Tag.shops']],
])('a relation counts by its foreign key or join table: $name %s', (model, field, expected) => {
  expect(shiftsOf(models, model, model.relations.get(field)!)).toEqual(expected)
})

const line = { number: 1, part: { create: { id: 1 } } }
it.each<[string, Args, readonly string[], readonly string[]]>([
  ['fields', { name: 'a' }, ['Shop.name'], []],
  ['create', { orders: { create: { id: 1 } } }, [], ['Order.shopId']],
  [
    'create of two levels',
    { orders: { create: { id: 1, lines: { create: line } } } },
    [],
    ['Order.shopId', 'Line.orderId', 'Part.orderId', 'Part.number'],
  ],
  ['createMany', { orders: { createMany: { data: [{ id: 1 }] } } }, [], ['Order.shopId']],
  [
    'upsert',
    { orders: { upsert: { create: { id: 1, lines: { create: {} } }, update: { state: 'a' } } } },
    ['Order.state'],
    ['Order.shopId', 'Line.orderId'],
  ],
  [
    'connectOrCreate',
    { orders: { connectOrCreate: { where: { id: 1 }, create: { id: 1, lines: { create: {} } } } } },
    ['Order.shopId'],
    ['Line.orderId'],
  ],
  ['connect', { tags: { connect: { id: 1 } } }, ['Shop.tags,Tag.shops'], []],
  ['set', { orders: { set: [{ id: 1 }] } }, ['Order.shopId'], []],
  ['set of none', { orders: { set: [] } }, [], []],
  [
    'several of a list',
    { orders: { update: [{ data: { state: 'a' } }, { data: { id: 2 } }] } },
    ['Order.state', 'Order.id'],
    [],
  ],
  ['updateMany', { orders: { updateMany: { where: { id: 1 }, data: { state: 'a' } } } }, ['Order.state'], []],
  ['disconnect', { orders: { disconnect: { id: 1 } } }, [], []],
  ['delete', { orders: { delete: { id: 1 } } }, [], []],
  ['deleteMany', { orders: { deleteMany: {} } }, [], []],
])('an update moves rows, or adds new ones, by %s', (_, data, moved, grown) => {
  const shifts = shiftsIn(models, shop, data)
  // An update may name its data or be it, so that these are taken for fields as well.
  expect([...shifts.moved].filter((name) => !/[.](?:data|where)$/.test(name))).toEqual(moved)
  expect([...shifts.grown]).toEqual(grown)
})

it.each<[string, Args, readonly string[]]>([
  ['create', { shop: { create: { id: 1, name: 'a' } } }, ['Order.shopId']],
  ['upsert', { shop: { upsert: { create: { name: 'a' }, update: {} } } }, ['Order.shopId']],
  ['update by its data alone', { shop: { update: { name: 'a' } } }, ['Shop.name']],
])('an update moves the row that holds the key by %s', (_, data, moved) => {
  const shifts = shiftsIn(models, order, data)
  expect([...shifts.moved]).toEqual(moved)
  expect([...shifts.grown]).toEqual([])
})

it.each<[string, Args, readonly string[]]>([
  ['one side', { next: { create: {} } }, []],
  ['one side, of several rows', { previous: { create: [{ previous: { create: {} } }, {}] } }, []],
  ['both sides', { next: { create: {} }, previous: { connect: { id: 1 } } }, ['Step.nextId']],
  ['both sides, of rows below', { next: { create: { previous: { connect: { id: 1 } } } } }, ['Step.nextId']],
  [
    'one side and the fields of existing rows',
    { next: { create: {} }, previous: { update: { where: { id: 1 }, data: { nextId: 2 } } } },
    ['Step.nextId'],
  ],
  ['one side and the fields of new rows', { previous: { create: { id: 1, nextId: 2 } } }, []],
])('a relation is contested that is changed from %s', (_, data, contested) => {
  for (const isNew of [false, true])
    expect([...shiftsIn(models, models.get('Step')!, data, isNew).contested]).toEqual(contested)
})

it('the fields of a new row move no other one', () => {
  const { contested, moved } = shiftsIn(models, models.get('Step')!, { id: 1, nextId: 1 }, true)
  expect([...moved, ...contested]).toEqual([])
})

const connect = { connect: { orderId_number: { orderId: 1, number: 1 } } }
it.each<[string, Args, boolean]>([
  ['one update', { lines: { update: { where: {}, data: { orderId: 1, number: 2 } } } }, false],
  [
    'updates of the same field',
    {
      lines: {
        update: [{ data: { number: 2 } }, { data: { number: 3 } }],
        updateMany: { data: { number: 4 } },
      },
    },
    false,
  ],
  [
    'updates of different fields',
    { lines: { update: { data: { number: 2 } }, updateMany: { data: { orderId: 3 } } } },
    true,
  ],
  [
    'updates of which one sets both',
    { lines: { update: { data: { number: 2 } }, upsert: { update: { orderId: 1, number: 3 } } } },
    true,
  ],
  [
    'an update and another one of other fields',
    { lines: { update: { data: { number: 2 } } }, state: 'a' },
    false,
  ],
  ['an update and a connected row', { lines: { update: { data: { number: 2 } }, ...connect } }, true],
  ['an update and a released row', { lines: { update: { data: { number: 2 } }, disconnect: {} } }, false],
  ['an update and a new row', { lines: { update: { data: { number: 2 } }, create: { number: 3 } } }, false],
  [
    'an update and a row that is connected unless it is new',
    { lines: { update: { data: { number: 2 } }, connectOrCreate: { where: {}, create: { number: 3 } } } },
    true,
  ],
  [
    'one update by a field and a relation',
    { lines: { update: { data: { number: 2, order: connect } } } },
    false,
  ],
])('a compound key is divided by %s', (_, data, expected) => {
  const { changes } = shiftsIn(models, order, data)
  expect(areDivided(changes, 'Line', ['orderId', 'number'])).toBe(expected)
  expect(areDivided(changes, 'Order', ['orderId', 'number'])).toBe(false)
})

it.each([
  [{ update: {} }, false],
  [{ disconnect: true }, false],
  [{ delete: true }, false],
  [{ connect: { id: 1 } }, true],
])('a row changes its own foreign key by some operations: %j', (operation, expected) => {
  const { changes } = shiftsIn(models, order, { shop: operation })
  expect(changes.find(({ model }) => model === 'Order')!.fields.has('shopId')).toBe(expected)
})
