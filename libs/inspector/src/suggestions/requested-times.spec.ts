import { type ClientQueries, describeSchemaText } from 'model-cache/internal'
import { requestedTimes } from './requested-times.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
model Team {
  id   Int   @id
  at   DateTime
  lots Lot[]
}
model Lot {
  id     Int      @id
  price  Int
  at     DateTime
  ends   DateTime
  teamId Int
  team   Team     @relation(fields: [teamId], references: [id])
}`)

const timesIn = (model: string, args: object | undefined) =>
  Object.fromEntries(
    requestedTimes(facts, { models: [{ bypassed: [{ model, args }] }] } as unknown as ClientQueries),
  )

it.each<[string, object | undefined, object]>([
  ['Lot', undefined, {}],
  ['Lot', {}, {}],
  ['Lot', { orderBy: { at: 'asc' } }, { Lot: 'at' }],
  ['Lot', { orderBy: [{ price: 'asc' }, { ends: { sort: 'desc' } }, { at: 'asc' }] }, { Lot: 'ends' }],
  ['Lot', { orderBy: { price: 'asc' }, where: { at: '?', teamId: '?' } }, {}],
  ['Lot', { orderBy: { team: { at: 'asc' } } }, {}],
  ['Lot', { where: { at: { gte: '?' } } }, { Lot: 'at' }],
  ['Lot', { where: { at: { in: ['?'] } } }, {}],
  ['Lot', { where: { price: { gt: '?' } } }, {}],
  ['Lot', { where: { OR: [{ price: '?' }, { NOT: { ends: { lt: '?' } } }] } }, { Lot: 'ends' }],
  ['Lot', { where: { team: { at: { lt: '?' } } } }, { Team: 'at' }],
  ['Lot', { where: { team: { is: { at: { lte: '?' } } } } }, { Team: 'at' }],
  ['Team', { where: { lots: { some: { at: { gt: '?' } } } } }, { Lot: 'at' }],
  ['Team', { include: { lots: { orderBy: { at: 'desc' }, take: 1 } } }, { Lot: 'at' }],
  ['Team', { select: { lots: true, id: true } }, {}],
  ['Team', { select: { _count: { select: { lots: { where: { at: { gt: '?' } } } } } } }, { Lot: 'at' }],
  ['Unknown', { orderBy: { at: 'asc' } }, {}],
])('queries of %s with %j go by the times %j', (model, args, times) => {
  expect(timesIn(model, args)).toEqual(times)
})
