import { cached, explainQuery } from 'model-cache'
import { clientQueriesOf } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.ts'
import { useOpened } from '../../support/use-opened.ts'
import { openResults } from './results-fixture.ts'

const fixture = useOpened(openResults)
const shadow = useOpened(() => fixture.open({ models: { Article: '1h', Person: '1h' }, shadow: true }))
beforeEach(() => shadow.comparisons())

/** Sends a query until its result was compared; returns the outcomes. */
async function compared(query: () => PromiseLike<unknown>): Promise<readonly string[]> {
  const seen: string[] = []
  await query()
  await eventually(() => seen.push(...shadow.comparisons()) && seen.length > 0)
  await shadow.results.drain()
  return seen
}

const search = () => shadow.prisma.article.findMany({ where: { title: { contains: 'i' } } })

it('answers by the database, and compares the result that is kept', async () => {
  expect(await compared(search)).toEqual(['same'])
  await eventually(async () => {
    await compared(search)
    return (
      clientQueriesOf(shadow.prisma)!.models.find(({ model }) => model === 'Article')!.results ?? []
    ).some(({ count, loads }) => count > loads)
  })
  shadow.statements()
  const rows = await search()
  expect(shadow.statements()).toHaveLength(1)
  expect(rows).toStrictEqual(await fixture.plain.article.findMany({ where: { title: { contains: 'i' } } }))
})

it('finds and logs a difference that a write outside of the library leaves', async () => {
  await compared(search)
  await fixture.sql.query(`UPDATE "Article" SET rank = 77 WHERE title LIKE '%i%'`)
  expect(await compared(search)).toEqual(['different'])
  expect(shadow.warnings).toEqual([
    expect.stringMatching(/ModelCache "Article\.results": the cache and the database differ in rank/),
  ])
  await shadow.results.invalidate()
  expect(await compared(search)).toEqual(['same'])
})

it('compares aggregates, relations, single rows, and queries of a view', async () => {
  const { person, article } = shadow.prisma
  const queries: readonly (() => PromiseLike<unknown>)[] = [
    () => article.aggregate({ _max: { rank: true, created: true }, _count: true }),
    () => article.groupBy({ by: ['isPublic'], _count: { _all: true } }),
    () => article.count({ where: { rank: { gt: 3 } } }),
    () => person.findFirst({ orderBy: { name: 'asc' }, omit: { secret: true }, include: { articles: true } }),
    () => person.findFirst({ orderBy: { name: 'asc' } }).articles(),
    () => article.findFirst({ where: { title: 'none' } }),
    () => cached(shadow.prisma, { ttl: '1m' }).topic.findMany(),
  ]
  for (const query of queries)
    for (const _ of ['loaded', 'stored']) expect(await compared(query)).toEqual(['same'])
})

it('compares nothing whose models are not listed, nor what is read in a transaction', async () => {
  await shadow.prisma.topic.findMany()
  await shadow.prisma.$transaction([shadow.prisma.article.findMany()])
  await cached(shadow.prisma, { ttl: '1m', tables: ['Article'] }).$queryRaw`SELECT 1`
  expect(await compared(search)).toEqual(['same'])
  expect(await explainQuery(shadow.prisma, { model: 'Article', action: 'count' })).toEqual({
    answeredBy: 'database',
    reason: 'shadow',
  })
})
