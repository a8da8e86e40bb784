import { type BypassedQuery, type ClientQueries, describeSchemaText } from 'model-cache/internal'
import { suggestResults } from './suggest-results.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
model Lot {
  id         Int       @id
  name       String
  categoryId Int
  category   Category  @relation(fields: [categoryId], references: [id])
  bids       Bid[]
}
model Category {
  id   Int   @id
  lots Lot[]
}
model Bid {
  id    Int @id
  lotId Int
  lot   Lot @relation(fields: [lotId], references: [id])
}
view Sums {
  id Int @id
}`)

const query = (
  model: string,
  args: object | undefined,
  count: number,
  others: object = {},
): BypassedQuery => ({
  model,
  action: 'findMany',
  reason: 'condition',
  ...(args && { args: args as NonNullable<BypassedQuery['args']> }),
  count,
  ...others,
})
const search = query('Lot', { where: { name: { contains: '?' } } }, 100)
const withCategory = query('Lot', { where: { category: { id: '?' } } }, 20)
const withBids = query('Lot', { include: { bids: true } }, 30)

const written = (writes: Readonly<Record<string, number>>, kept: readonly string[] = []): ClientQueries => ({
  composed: [],
  takesAnyRow: false,
  kept,
  models: Object.entries(writes).map(([model, count]) => ({
    model,
    answered: 0,
    omitted: [],
    bypassed: [],
    written: { count, agoMs: 1 },
  })),
})
const none = { queries: 0, joined: 0, models: [], writtenOften: [], lines: [] }

it('suggests the field by which most queries go, for a model that is written too often otherwise', () => {
  const ofLot = query('Bid', { where: { lotId: '?' }, orderBy: { id: 'desc' } }, 60)
  const ofAny = query('Bid', { orderBy: { id: 'desc' }, take: 3 }, 20)
  const { lines, models, writtenOften } = suggestResults(facts, written({ Bid: 50 }), {
    rest: [ofLot, ofAny],
    joined: [],
  })
  expect(models).toEqual([
    { model: 'Bid', queries: 80, writes: 50, by: 'lotId', query: expect.stringContaining('lotId') },
  ])
  expect(writtenOften).toEqual([])
  expect(lines).toEqual(['results: {', "  Bid: { ttl: '10m', by: 'lotId' },", '},'])
  const others = suggestResults(facts, written({ Bid: 50 }), {
    rest: [ofLot, { ...ofAny, count: 60 }],
    joined: [],
  })
  expect(others).toMatchObject({ models: [], writtenOften: [{ model: 'Bid' }] })
  expect(suggestResults(facts, written({ Bid: 20 }), { rest: [ofLot, ofAny], joined: [] }).lines).toContain(
    "  Bid: '10m',",
  )
})

it('suggests all models that queries read, with the queries and the writes of each', () => {
  expect(suggestResults(facts, written({ Lot: 3 }), { rest: [search, withCategory], joined: [] })).toEqual({
    queries: 120,
    joined: 0,
    models: [
      { model: 'Lot', queries: 120, writes: 3, query: 'Lot.findMany({ where: { name: { contains: ? } } })' },
      {
        model: 'Category',
        queries: 20,
        writes: 0,
        query: 'Lot.findMany({ where: { category: { id: ? } } })',
      },
    ],
    writtenOften: [],
    lines: ['results: {', "  Lot: '10m',", "  Category: '10m',", '},'],
  })
})

it('leaves out models that are written often, and what reads them', () => {
  const found = suggestResults(facts, written({ Bid: 8, Lot: 25 }), { rest: [search, withBids], joined: [] })
  expect(found.writtenOften.map(({ model }) => model)).toEqual(['Bid'])
  expect(found.models).toEqual([expect.objectContaining({ model: 'Lot', queries: 100 })])
  expect(found.queries).toBe(100)
  // Without these queries, the writes of the others are too many as well.
  const all = suggestResults(facts, written({ Bid: 8, Lot: 26 }), { rest: [search, withBids], joined: [] })
  expect(all.writtenOften.map(({ model }) => model)).toEqual(['Bid', 'Lot'])
  expect(all.lines).toEqual([])
})

it('does not print models that are listed already', () => {
  const { lines, models, queries } = suggestResults(facts, written({}, ['Lot']), {
    rest: [withCategory],
    joined: [],
  })
  expect(models.map(({ model }) => model)).toEqual(['Category'])
  expect({ lines, queries }).toEqual({ lines: ['results: {', "  Category: '10m',", '},'], queries: 20 })
})

it.each<[string, BypassedQuery]>([
  ['in transactions', query('Lot', { take: 1 }, 9, { reason: 'transaction' })],
  ['whose arguments are unknown', query('Lot', undefined, 9)],
  ['of fields that caches lack', query('Lot', { select: { name: true } }, 9, { reason: 'fields' })],
  ['of views', query('Sums', {}, 9)],
  ['of MongoDB', query('Lot', {}, 9, { action: 'findRaw', reason: 'operation' })],
])('suggests nothing for queries %s', (_, one) => {
  expect(suggestResults(facts, written({}), { rest: [one], joined: [] })).toEqual(none)
})

it('suggests models of queries that put rows of several lookups together, which a result answers for less', () => {
  const found = suggestResults(facts, written({ Bid: 5 }), { rest: [search], joined: [withBids] })
  expect(found.lines).toEqual(['results: {', "  Lot: '10m',", "  Bid: '10m',", '},'])
  expect(found).toMatchObject({ queries: 100, joined: 30 })
  const often = suggestResults(facts, written({ Bid: 8 }), { rest: [search], joined: [withBids] })
  expect(often).toMatchObject({ queries: 100, joined: 0, models: [{ model: 'Lot', queries: 100 }] })
  expect(often.writtenOften.map(({ model }) => model)).toEqual(['Bid'])
})
