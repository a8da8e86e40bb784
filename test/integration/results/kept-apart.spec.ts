/** Queries that look alike, and must not have the result of each other; and results that must not be kept at all. */
import { cached } from 'model-cache'
import { useOpened } from '../../support/use-opened.ts'
import { Prisma } from '../differential/reads/client/client.ts'
import { openResults, type Process, type Query, warm, person } from './results-fixture.ts'

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open())

describe('a query that looks like one whose result is kept', () => {
  it.each<[string, kept: Query, asked: Query]>([
    [
      'whose value has another kind',
      (p) => p.everything.findMany({ where: { bigint: 1n }, select: { id: true } }),
      (p) => p.everything.findMany({ where: { bigint: 2n }, select: { id: true } }),
    ],
    [
      'whose null of Json is another one',
      (p) => p.word.findMany({ where: { gloss: { equals: Prisma.AnyNull } }, orderBy: { n: 'asc' } }),
      (p) => p.word.findMany({ where: { gloss: { equals: Prisma.JsonNull } }, orderBy: { n: 'asc' } }),
    ],
    [
      'with null instead of nothing',
      (p) => p.article.findMany({ where: { authorId: undefined }, orderBy: { id: 'asc' } }),
      (p) => p.article.findMany({ where: { authorId: null }, orderBy: { id: 'asc' } }),
    ],
    [
      'that omits another field',
      (p) => p.article.findMany({ omit: { title: true }, orderBy: { id: 'asc' } }),
      (p) => p.article.findMany({ omit: { rank: true }, orderBy: { id: 'asc' } }),
    ],
    [
      'that names a field of another one',
      (p) => p.person.findFirst({ orderBy: { name: 'asc' } }).articles({ orderBy: { id: 'asc' } }),
      (p) => p.person.findFirst({ orderBy: { name: 'asc' } }).reviews({ orderBy: { articleId: 'asc' } }),
    ],
    [
      'with lists of other lengths',
      (p) => p.article.findMany({ where: { id: { in: [1, 12] } }, orderBy: { id: 'asc' } }),
      (p) => p.article.findMany({ where: { id: { in: [11, 2] } }, orderBy: { id: 'asc' } }),
    ],
    [
      'whose text is that of other arguments',
      (p) => p.article.findMany({ where: { title: '1,"rank":2' } }),
      (p) => p.article.findMany({ where: { title: '1', rank: 2 } }),
    ],
  ])('%s, has its own', async (_, kept, asked) => {
    for (let times = 0; times < 3; times++) {
      await kept(one.prisma)
      await one.results.drain()
      const [expected, found] = [await asked(fixture.plain as Process['prisma']), await asked(one.prisma)]
      expect(found).toStrictEqual(expected)
    }
  })

  it('is refused by a client that refuses undefined', async () => {
    const strict = await fixture.open({ previewFeatures: ['strictUndefinedChecks'] })
    const all: Query = (p) => p.article.findMany({ where: {}, orderBy: { id: 'asc' } })
    const named: Query = (p) => p.article.findMany({ where: { authorId: undefined }, orderBy: { id: 'asc' } })
    await warm(strict, all)
    await expect(named(strict.prisma)).rejects.toThrow(Prisma.PrismaClientValidationError)
    await expect(all(strict.prisma)).resolves.not.toHaveLength(0)
  })
})

describe('in a transaction', () => {
  const read: Query = (p) => cached(p, { ttl: '1m' }).article.findMany({ where: { rank: 77 } })
  beforeAll(() => warm(one, read))

  it('`cached` sees the writes of the transaction, and keeps none of them', async () => {
    const undone = one.prisma.$transaction(async (tx) => {
      await tx.article.update({ where: { id: 5 }, data: { rank: 77 } })
      expect(await read(tx as Process['prisma'])).toHaveLength(1)
      // By the client itself: another connection, which does not see them, and must keep nothing either.
      expect(await read(one.prisma)).toHaveLength(0)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await one.results.drain()
    expect(await read(one.prisma)).toHaveLength(0)
  })

  it('of a list, a query sees what is written before it in the list', async () => {
    const [, found] = await one.prisma.$transaction([
      one.prisma.article.update({ where: { id: 5 }, data: { rank: 77 } }),
      cached(one.prisma, { ttl: '1m' }).article.findMany({ where: { rank: 77 } }),
    ])
    expect(found).toHaveLength(1)
    expect(await read(one.prisma)).toHaveLength(1)
    await one.prisma.article.update({ where: { id: 5 }, data: { rank: 1 } })
    expect(await read(one.prisma)).toHaveLength(0)
  })

  it('of an extension that sets the caller, the database answers each', async () => {
    const asked: string[] = []
    const of = (who: string) =>
      one.prisma.$extends({
        query: {
          async $allOperations({ args, query }) {
            const [set, found] = await one.prisma.$transaction([
              one.prisma.$queryRaw`SELECT set_config('app.who', ${who}, true) AS who`,
              query(args),
            ])
            asked.push((set as { who: string }[])[0]!.who)
            return found as never
          },
        },
      })
    one.statements()
    for (const who of ['a', 'b', 'a', 'b']) await of(who).article.count()
    expect(asked).toEqual(['a', 'b', 'a', 'b'])
    expect(one.statements().filter((sql) => /COUNT/.test(sql))).toHaveLength(4)
  })
})

it.each<[string, write: Query, read: Query]>([
  [
    'a row of a join table',
    (p) => p.article.update({ where: { id: 5 }, data: { topics: { set: [{ id: 1 }] } } }),
    (p) => p.article.findMany({ include: { topics: { orderBy: { id: 'asc' } } }, orderBy: { id: 'asc' } }),
  ],
  [
    'a row of a join table, seen from the other side',
    (p) => p.article.update({ where: { id: 5 }, data: { topics: { set: [{ id: 2 }] } } }),
    (p) => p.topic.findMany({ include: { articles: { orderBy: { id: 'asc' } } }, orderBy: { id: 'asc' } }),
  ],
  [
    'a row of a join table, as it shows in a count',
    (p) => p.topic.update({ where: { id: 1 }, data: { articles: { connect: { id: 5 } } } }),
    (p) =>
      p.article.findMany({
        select: { id: true, _count: { select: { topics: true } } },
        orderBy: { id: 'asc' },
      }),
  ],
  [
    'a row of a join table, as it shows in a condition',
    (p) => p.topic.update({ where: { id: 1 }, data: { articles: { disconnect: { id: 5 } } } }),
    (p) => p.article.findMany({ where: { topics: { some: { id: 1 } } }, orderBy: { id: 'asc' } }),
  ],
  [
    'a row of a relation, as it shows in an order',
    (p) => p.review.deleteMany({ where: { articleId: 5 } }),
    (p) =>
      p.article.findMany({ orderBy: [{ reviews: { _count: 'desc' } }, { id: 'asc' }], select: { id: true } }),
  ],
  [
    'a parent, which sets null in its children',
    (p) => p.person.delete({ where: { id: person(3) } }),
    (p) => p.article.groupBy({ by: ['authorId'], _count: true, orderBy: { authorId: 'asc' } }),
  ],
  [
    'rows by a raw statement in a CTE',
    (p) =>
      p.$queryRaw`WITH moved AS (UPDATE "Article" SET rank = 99 WHERE id = 5 RETURNING id) SELECT id FROM moved`,
    (p) => p.article.aggregate({ _max: { rank: true } }),
  ],
  [
    'all rows by TRUNCATE',
    (p) => p.$executeRaw`TRUNCATE "Review"`,
    (p) => p.article.findMany({ select: { id: true, reviews: true }, orderBy: { id: 'asc' } }),
  ],
])('ends with a write of %s', async (_, write, read) => {
  const other = await fixture.open()
  await warm(one, read)
  await write(other.prisma)
  expect(await read(one.prisma)).toStrictEqual(await read(fixture.plain as Process['prisma']))
})
