import { cached, explainQuery } from 'model-cache'
import { clientQueriesOf } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.ts'
import { useOpened } from '../../support/use-opened.ts'
import { Prisma } from '../differential/reads/client/client.ts'
import { openResults } from './results-fixture.ts'

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open({ models: { Article: '1h', Topic: '10m' } }))

const search = { where: { title: { contains: 'x' } } }

it('says that a query is answered by its result, of which models, and what is stored', async () => {
  const args = { ...search, include: { topics: true } }
  const query = { model: 'article', action: 'findMany', args }
  const missing = { isHit: false, reason: 'not_cached' }
  const times = { ttlMs: 600_000, staleForMs: 0 }
  expect(await explainQuery(one.prisma, query)).toMatchObject({
    answeredBy: 'result',
    reason: 'no_cache',
    result: { models: ['Article', 'Topic'], ...times, stored: missing },
  })
  await eventually(async () => {
    await one.prisma.article.findMany(args)
    await one.results.drain()
    const { result } = await explainQuery(one.prisma, { ...query, model: 'Article' })
    return result?.stored?.isHit
  })
  expect((await explainQuery(one.prisma, query)).result).toMatchObject({
    mayFill: true,
    stored: { isHit: true, ageMs: expect.any(Number), length: expect.any(Number) },
  })
  await one.prisma.topic.updateMany({ data: { word: 'later' } })
  expect((await explainQuery(one.prisma, query)).result?.stored).toEqual({
    isHit: false,
    reason: 'invalidated',
  })
})

it.each<[query: { model: string; action: string; args?: object }, result: object]>([
  [
    { model: 'Person', action: 'count' },
    { refusal: 'unlisted', models: ['Person'] },
  ],
  [
    { model: 'Article', action: 'findMany', args: { include: { author: { select: { name: true } } } } },
    { refusal: 'unlisted', models: ['Article', 'Person'] },
  ],
  [{ model: 'Article', action: 'findMany', args: { include: { author: true } } }, { refusal: 'kept_out' }],
  [
    { model: 'Word', action: 'findMany', args: { where: { gloss: { equals: Prisma.DbNull } } } },
    { refusal: 'arguments' },
  ],
  [
    { model: 'Article', action: 'findUnique', args: { where: { id: 1, title: { contains: 'a' } } } },
    { refusal: 'arguments' },
  ],
])('says why the database answers %j', async (query, result) => {
  expect(await explainQuery(one.prisma, query)).toMatchObject({ answeredBy: 'database', result })
})

it('explains a query of a view, and of a client without results', async () => {
  const query = { model: 'Person', action: 'count', args: { where: { name: { contains: 'x' } } } }
  const view = cached(one.prisma, { ttl: '1m' })
  expect(await explainQuery(view, query)).toMatchObject({ answeredBy: 'result', result: { ttlMs: 60_000 } })
  expect(await explainQuery(one.prisma.$uncached, query)).toMatchObject({
    answeredBy: 'database',
    result: { refusal: 'uncached' },
  })
  const none = await fixture.open({ models: {} })
  expect(await explainQuery(none.prisma, query)).toMatchObject({ result: { refusal: 'not_kept' } })
})

it('refuses what is no query of the client', async () => {
  await expect(explainQuery(fixture.plain, { model: 'Article', action: 'count' })).rejects.toThrow(/"reads"/)
  await expect(explainQuery(one.prisma, { model: 'Articles', action: 'count' })).rejects.toThrow(/"Articles"/)
  await expect(explainQuery(one.prisma, { model: 'Article', action: 'create' })).rejects.toThrow(/"create"/)
})

it('counts what results answered, and what was written, by model and shape', async () => {
  const process = await fixture.open({ models: { Seat: '1h' } })
  const query = () => process.prisma.seat.groupBy({ by: ['hall'], _sum: { price: true } })
  await Promise.all([query(), query()])
  await process.prisma.seat.updateMany({ data: { price: 1 } })
  await query()
  await process.prisma.seat.aggregate({ _count: true })
  const { kept, models } = clientQueriesOf(process.prisma)!
  const seats = models.find(({ model }) => model === 'Seat')!
  expect(kept).toEqual(['Seat'])
  expect(seats.written).toEqual({ count: 1, agoMs: expect.any(Number) })
  expect(seats.results).toMatchObject([
    { action: 'groupBy', args: { by: ['hall'], _sum: { price: true } }, count: 3, loads: 2, refused: 0 },
    { action: 'aggregate', args: { _count: true }, count: 1, loads: 1, models: ['Seat'] },
  ])
  expect(seats.results![0]!.length).toBeGreaterThan(0)
})
