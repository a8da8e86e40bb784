import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { changesAfterUpdate, rowAfterCreate, withoutPinned } from './row-after.js'

const schema = `
datasource db {
  provider = "postgresql"
}
model Sale {
  id   String @id
  slug String @unique
  lots Lot[]
}
model Lot {
  id        String   @id
  saleId    String
  state     String
  updatedAt DateTime @updatedAt
  sale      Sale     @relation(fields: [saleId], references: [id])
}
`
/** Described again for each test, as the library keeps what it finds in a model. */
function describeLot() {
  const { models } = describeSchemaText(schema)
  return { models, lot: models.get('Lot')! }
}
const updatedAt = undefined

it.each<[string, Args, Args]>([
  ['its own fields', { state: 'a' }, { updatedAt, state: 'a' }],
  ['a foreign key', { sale: { connect: { id: 's' } }, state: 'a' }, { updatedAt, saleId: 's', state: 'a' }],
  ['an unknown one', { sale: { connect: { slug: 'x' } } }, { updatedAt, saleId: undefined }],
  ['none', { sale: { update: { slug: 'x' } }, state: 'a' }, { updatedAt, state: 'a' }],
  ['one field of two', { sale: undefined, saleId: 's' }, { updatedAt, saleId: 's' }],
  ['one operation of two', { sale: { create: undefined, connect: { id: 's' } } }, { updatedAt, saleId: 's' }],
])('an update sets the time and what its data shows: %s', (_, data, expected) => {
  const { models, lot } = describeLot()
  expect(changesAfterUpdate(models, lot, data)).toStrictEqual(expected)
})

it.each([
  ['s', 's'],
  ['t', undefined],
])('the row of connectOrCreate is known if both sides show the same: %s', (id, saleId) => {
  const { models, lot } = describeLot()
  const sale = { connectOrCreate: { where: { id: 's' }, create: { id } } }
  expect(rowAfterCreate(models, lot, { id: 'l', sale })).toEqual({ id: 'l', saleId })
})

it.each<[Args, Args, Args]>([
  [{ a: 1 }, {}, { a: 1 }],
  [{ a: 1, b: 2 }, { a: 1, b: 3 }, { b: 2 }],
  [{ a: 1, b: 2 }, { a: 1, b: 2 }, {}],
  [{ a: undefined }, { a: undefined }, { a: undefined }],
])(
  'leaves out fields that keep the value which the condition requires: %j %j',
  (changes, pinned, expected) => {
    expect(withoutPinned(changes, pinned)).toStrictEqual(expected)
  },
)
