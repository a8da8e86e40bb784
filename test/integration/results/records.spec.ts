/** Results of frequent queries are written as records of their rows. */
import { Redis } from 'ioredis'
import { valkeyUrl } from '../../support/servers.ts'
import { useOpened } from '../../support/use-opened.ts'
import { openResults, type Process, type Query, warm } from './results-fixture.ts'

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open())
const other = useOpened(() => fixture.open())
let redis: Redis
beforeAll(() => {
  redis = new Redis(valkeyUrl().replace(/^valkey/, 'redis'))
})
afterAll(() => redis.disconnect())

/** The forms in which results are stored. */
async function stored(): Promise<readonly ('record' | 'free')[]> {
  const keys = await redis.keys(`${fixture.namespace}:*.results:*`)
  const values = await redis.mget(keys.filter((key) => !key.endsWith(':l') && !key.endsWith(':register')))
  return values.flatMap((value) => {
    const found = /=[\w-]{43}(~[\w-]{11}#)?/.exec(value ?? '')
    return found ? [found[1] ? ('record' as const) : ('free' as const)] : []
  })
}

it.each<[form: 'record' | 'free', name: string, query: Query]>([
  [
    'record',
    'rows',
    (p) => p.article.findMany({ where: { title: { contains: '1' } }, orderBy: { id: 'asc' } }),
  ],
  [
    'record',
    'rows and relations',
    (p) =>
      p.article.findMany({
        orderBy: { id: 'asc' },
        include: {
          _count: { select: { topics: true, reviews: true } },
          topics: { orderBy: { id: 'asc' } },
          author: {
            omit: { secret: true, mood: true },
            include: { articles: { take: 1, orderBy: { id: 'asc' } } },
          },
          reviews: {
            orderBy: { personId: 'asc' },
            select: { note: true, person: { select: { name: true } } },
          },
        },
        omit: { created: true },
      }),
  ],
  [
    'record',
    'one row',
    (p) => p.article.findFirst({ orderBy: { created: 'desc' }, select: { title: true, id: true } }),
  ],
  ['free', 'no row', (p) => p.article.findFirst({ where: { title: 'there is none' } })],
  ['record', 'no rows', (p) => p.article.findMany({ where: { title: 'there is none' } })],
  ['record', 'rows with decimals, bigints and JSON', (p) => p.seat.findMany({ orderBy: { row: 'asc' } })],
  ['record', 'rows with enums and JSON', (p) => p.word.findMany({ orderBy: { n: 'asc' } })],
  ['free', 'an aggregate', (p) => p.article.aggregate({ _sum: { rank: true } })],
])('as a %s: %s', async (form, _, query) => {
  const expected = await query(fixture.plain as Process['prisma'])
  await warm(one, query)
  await one.results.invalidate()
  await warm(one, query)
  expect(await query(one.prisma)).toStrictEqual(expected)
  other.statements()
  expect(await query(other.prisma)).toStrictEqual(expected)
  expect(other.statements()).toEqual([])
  expect(await stored()).toContain(form)
  await redis.del(await redis.keys(`${fixture.namespace}:*.results:*`))
})

it('gives each of several callers rows of their own', async () => {
  const query: Query = (p) => p.article.findMany({ orderBy: { id: 'asc' }, include: { reviews: true } })
  const expected = await query(fixture.plain as Process['prisma'])
  for (const _ of ['free', 'record']) {
    await one.results.invalidate()
    await warm(one, query)
  }
  const found = await Promise.all([1, 2, 3].map(() => query(one.prisma) as Promise<{ created: Date }[]>))
  for (const each of found) {
    expect(each).toStrictEqual(expected)
    each[0]!.created.setTime(0)
    each.length = 0
  }
})
