import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import type { WritePlanning } from './planning.js'
import { readsFirst } from './reads-first.js'

const { models } = describeSchemaText(`
model Lot {
  id   String @id
  slug String @unique
  row  Int
  seat Int
  bids Bid[]

  @@unique([row, seat])
}
model Bid {
  id    String @id
  lotId String
  lot   Lot    @relation(fields: [lotId], references: [id])
}
`)

const answer = (operation: string, args: Args, model = 'Lot'): boolean =>
  readsFirst({ models } as WritePlanning, { model, operation, args, isComplete: true })

const plain = { id: 'l', slug: 'a', row: 1, seat: 2 }
const nested = { ...plain, bids: { create: { id: 'b' } } }
const where = { id: 'l' }

it.each<[string, Args]>([
  ['create', { data: nested }],
  ['update', { where, data: nested }],
  ['upsert', { where, create: nested, update: {} }],
  ['upsert', { where, create: plain, update: nested }],
  ['upsert', { where: { id: 'm' }, create: plain, update: {} }],
  ['upsert', { where: { id: 'l', slug: 'a' }, create: plain, update: {} }],
  ['upsert', { where: {}, create: plain, update: {} }],
  ['upsert', { where: null, create: plain, update: {} }],
  ['upsert', { where, create: null, update: {} }],
  ['upsert', { where: { row_seat: { row: 1, seat: 3 } }, create: plain, update: {} }],
  ['upsert', { where, create: plain, update: {}, include: { bids: true } }],
  ['delete', { where, include: { bids: true } }],
  ['delete', { where, select: { id: true, bids: true } }],
  ['delete', { where, select: { _count: true } }],
])('Prisma may read before: %s %j', (operation, args) => {
  expect(answer(operation, args)).toBe(true)
})

it.each<[string, Args]>([
  ['create', { data: plain }],
  ['create', { data: null }],
  ['update', { where, data: plain }],
  ['update', { where, data: plain, include: { bids: true } }],
  ['upsert', { where, create: plain, update: {} }],
  ['upsert', { where: { slug: 'a' }, create: plain, update: { row: 2 }, select: { id: true } }],
  ['upsert', { where: { row_seat: { row: 1, seat: 2 } }, create: plain, update: {} }],
  ['delete', { where }],
  ['delete', { where, select: { id: true } }],
  ['deleteMany', { where, include: { bids: true }, data: nested }],
  ['createMany', { data: nested }],
])('Prisma writes at once: %s %j', (operation, args) => {
  expect(answer(operation, args)).toBe(false)
})

it('does not know what Prisma does with an unknown model', () => {
  expect(answer('deleteMany', {}, 'Other')).toBe(true)
})
