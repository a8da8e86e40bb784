import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { cached } from 'model-cache'
import { useOpened } from '../../support/use-opened.ts'
import { Prisma } from '../differential/reads/client/client.ts'
import { eventually } from '../../support/eventually.ts'
import { valkeyUrl } from '../../support/servers.ts'
import { openResults, type Process, type Query, warm } from './results-fixture.ts'

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open())
const other = useOpened(() => fixture.open())

const queries: readonly (readonly [name: string, query: Query])[] = [
  ['a search', (p) => p.article.findMany({ where: { title: { contains: '1' } }, orderBy: { id: 'asc' } })],
  ['rows without an order', (p) => p.article.findMany({ where: { isPublic: true } })],
  ['a count', (p) => p.article.count({ where: { rank: { gt: 1 } } })],
  ['counts of fields', (p) => p.article.count({ select: { _all: true, rank: true } })],
  [
    'an aggregate with decimals and bigints',
    (p) => p.seat.aggregate({ _sum: { price: true, row: true }, _min: { price: true }, _count: true }),
  ],
  ['groups', (p) => p.article.groupBy({ by: ['isPublic'], _count: { _all: true }, _max: { created: true } })],
  ['distinct values', (p) => p.word.findMany({ distinct: ['mood'], orderBy: { n: 'asc' } })],
  [
    'a page of all rows',
    (p) => p.article.findMany({ skip: 1, take: 2, orderBy: [{ rank: 'desc' }, { id: 'asc' }] }),
  ],
  [
    'relations, and conditions on relations',
    (p) =>
      p.article.findMany({
        where: { author: { name: { not: '' } } },
        include: {
          reviews: { orderBy: { personId: 'asc' } },
          topics: { orderBy: { id: 'asc' } },
          author: { omit: { secret: true } },
        },
        orderBy: { id: 'asc' },
      }),
  ],
  ['a condition on JSON', (p) => p.word.findMany({ where: { gloss: { path: ['a'], equals: 1 } } })],
  ['the first of many', (p) => p.article.findFirst({ orderBy: { created: 'desc' } })],
  ['no row', (p) => p.article.findFirst({ where: { title: 'there is none' } })],
  ['a relation of a row', (p) => p.person.findFirst({ orderBy: { name: 'asc' } }).articles()],
]

it.each(queries)(
  'answers %s as Prisma does, also in another process, without a statement',
  async (_, query) => {
    const expected = await query(fixture.plain as Process['prisma'])
    expect(await query(one.prisma)).toStrictEqual(expected)
    await warm(one, query)
    expect(await query(one.prisma)).toStrictEqual(expected)
    other.statements()
    expect(await query(other.prisma)).toStrictEqual(expected)
    expect(other.statements()).toEqual([])
  },
)

it('announces each write, for processes that keep results in memory', async () => {
  const subscriber = new Redis(valkeyUrl().replace(/^valkey/, 'redis'))
  const announced: string[] = []
  subscriber.on('pmessage', (_: string, channel: string) => announced.push(channel))
  await subscriber.psubscribe(`${fixture.namespace}:*:written`)
  await one.prisma.seat.updateMany({ data: { price: { increment: 1 } } })
  await other.results.invalidate(['Seat'])
  // Messages come in the order in which they were sent.
  const publisher = new Redis(valkeyUrl().replace(/^valkey/, 'redis'))
  await publisher.publish(`${fixture.namespace}:last:written`, '')
  publisher.disconnect()
  const last = `${fixture.namespace}:last:written`
  await eventually(async () => announced.includes(last))
  // With the fence, with its release, and by the invalidation.
  expect(announced).toEqual([...Array(3).fill(`${fixture.namespace}:{Seat.results}:written`), last])
  subscriber.disconnect()
})

it('gives each of several callers a result of their own, and sends one query', async () => {
  const query: Query = (p) => p.seat.findMany({ where: { price: { gte: 0 } }, orderBy: { label: 'asc' } })
  one.statements()
  const found = (await Promise.all(Array.from({ length: 20 }, () => query(one.prisma)))) as {
    price: object
  }[][]
  expect(one.statements()).toHaveLength(1)
  expect(new Set(found).size).toBe(20)
  expect(new Set(found.map(([first]) => first!.price)).size).toBe(20)
})

describe('until one of its models is written', () => {
  const titles: Query = (p) =>
    p.article.findMany({
      where: { title: { contains: '1' } },
      include: { reviews: true, topics: true },
      orderBy: { id: 'asc' },
    })
  const person = '0e3a6c4e-8a3e-4f0e-9d0c-1d2b3a4c5d6e'
  const writes: readonly (readonly [name: string, write: Query])[] = [
    ['a row', (p) => p.article.update({ where: { id: 1 }, data: { title: 'title 1 again' } })],
    ['rows', (p) => p.article.updateMany({ where: { id: { gt: 0 } }, data: { rank: { increment: 1 } } })],
    [
      'a row in a transaction',
      (p) =>
        p.$transaction(async (tx) => tx.article.update({ where: { id: 1 }, data: { title: '1 in it' } })),
    ],
    ['a row by raw SQL', (p) => p.$executeRaw`UPDATE "Article" SET title = title || ' raw 1' WHERE id = 1`],
    [
      'a new row',
      (p) => p.article.create({ data: { id: 900, title: '1 new', isPublic: true, created: new Date() } }),
    ],
    [
      'a relation by a join table',
      (p) =>
        p.article.update({ where: { id: 1 }, data: { topics: { create: { id: 900, word: 'joined' } } } }),
    ],
    ['a row of another model', (p) => p.topic.updateMany({ data: { word: 'written' } })],
    [
      'rows of another model in a nested write',
      (p) =>
        p.person.create({
          data: {
            id: person,
            email: 'nested@x.org',
            name: 'n',
            mood: 'CALM',
            reviews: { create: { articleId: 1, score: 1 } },
          },
        }),
    ],
    ['a row that others refer to', (p) => p.person.delete({ where: { id: person } })],
    ['a row that is deleted', (p) => p.article.delete({ where: { id: 900 } })],
  ]

  it.each(writes)('%s, by another process', async (_, write) => {
    await warm(one, titles)
    await write(other.prisma)
    one.statements()
    expect(await titles(one.prisma)).toStrictEqual(await titles(fixture.plain as Process['prisma']))
    expect(one.statements()).not.toEqual([])
  })

  it('and not when another model is written', async () => {
    await warm(one, titles)
    await other.prisma.seat.updateMany({ data: { price: { increment: 1 } } })
    one.statements()
    await titles(one.prisma)
    expect(one.statements()).toEqual([])
  })

  it('or invalidated, after a write that no client of the library sends', async () => {
    await warm(one, titles)
    await fixture.sql.query(`UPDATE "Article" SET rank = 77`)
    await other.results.invalidate(['Article'])
    expect(await titles(one.prisma)).toStrictEqual(await titles(fixture.plain as Process['prisma']))
  })
})

it('keeps no result of a query that began before a commit, and ended after it', async () => {
  const query: Query = (p) => p.word.count({ where: { n: { gte: 0 } } })
  await warm(one, query)
  const before = (await query(fixture.plain as Process['prisma'])) as number
  const transaction = other.prisma.$transaction(async (tx) => {
    await tx.word.create({ data: { text: 'in between', mood: 'CALM', n: 500 } })
    // Not committed yet: the old result is the right one.
    expect(await query(one.prisma)).toBe(before)
  })
  await transaction
  expect(await query(one.prisma)).toBe(before + 1)
  await one.results.drain()
  expect(await query(other.prisma)).toBe(before + 1)
})

describe('asks the database', () => {
  const query: Query = (p) => p.article.count({ where: { rank: { gte: 0 } } })

  it('in a transaction, which sees its own writes', async () => {
    await warm(one, query)
    await one.prisma.$transaction(async (tx) => {
      const before = await tx.article.count({ where: { rank: { gte: 0 } } })
      await tx.article.create({
        data: { id: 901, title: 'own', rank: 1, isPublic: true, created: new Date() },
      })
      expect(await tx.article.count({ where: { rank: { gte: 0 } } })).toBe(before + 1)
      expect(await tx.article.aggregate({ where: { title: 'own' }, _sum: { rank: true } })).toEqual({
        _sum: { rank: 1 },
      })
    })
  })

  it.each<[string, Query]>([
    ['a row', (p) => p.person.findFirst({ where: { name: { contains: '1' } } })],
    [
      'a row of a relation',
      (p) => p.article.findMany({ where: { rank: { gt: 0 } }, include: { author: true } }),
    ],
    ['a group', (p) => p.person.groupBy({ by: ['secret'], orderBy: { secret: 'asc' } })],
  ])('for a field of %s that the schema keeps out of caches', async (_, query) => {
    for (let n = 0; n < 3; n++) {
      one.statements()
      expect(await query(one.prisma)).toStrictEqual(await query(fixture.plain as Process['prisma']))
      await one.results.drain()
      expect(one.statements().length).toBeGreaterThan(0)
    }
  })

  it('through $uncached', async () => {
    await warm(one, query)
    await query(one.prisma.$uncached as Process['prisma'])
    expect(one.statements()).toHaveLength(1)
  })

  it('for a model that is not listed, at any depth', async () => {
    const unlisted: readonly Query[] = [
      (p) => p.pass.findMany(),
      (p) => p.person.findMany({ include: { pass: true } }),
      (p) => p.person.findMany({ where: { tags: { some: { colour: 'red' } } } }),
      (p) => p.person.findMany({ orderBy: { pass: { number: 'asc' } } }),
      (p) => p.person.findMany({ select: { _count: true } }),
      (p) => p.article.findMany({ include: { author: { select: { name: true, pass: true } } } }),
    ]
    for (const each of unlisted) {
      one.reads()
      await each(one.prisma)
      await each(one.prisma)
      expect(one.reads()).toEqual({})
    }
  })

  it('for arguments that only Prisma can read', async () => {
    one.reads()
    const { id } = fixture.plain.article.fields
    await one.prisma.article.findMany({ where: { rank: { gt: id } } })
    await one.prisma.word.findMany({ where: { gloss: { equals: Prisma.DbNull } } })
    expect(one.reads()).toEqual({})
  })
})

it('has the error of a query that Prisma refuses, whatever the caller makes of its arguments then', async () => {
  const fields = ['id', 'title', 'rank', 'isPublic', 'created', 'authorId']
  const omit = Object.fromEntries(fields.map((name) => [name, true]))
  const args = { where: { title: 'there is none' }, omit }
  const found = one.prisma.article.findFirstOrThrow(args).then(String, (error: Error) => error.name)
  for (const name of fields) omit[name] = false
  expect(await found).toBe('PrismaClientValidationError')
})

it('has the error of the query, for it alone', async () => {
  const [failed, found] = await Promise.allSettled([
    one.prisma.seat.findMany({ where: { row: { gt: 2n ** 80n } } }),
    one.prisma.seat.count({ where: { row: { gt: 2n ** 40n } } }),
  ])
  const expected = await fixture.plain.seat
    .findMany({ where: { row: { gt: 2n ** 80n } } })
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: (expected as { code: string }).code } })
  expect(found).toEqual({
    status: 'fulfilled',
    value: await fixture.plain.seat.count({ where: { row: { gt: 2n ** 40n } } }),
  })
})

it.each([
  ['arguments of findFirst', { take: 1 }],
  ['a key that is no object', { where: { position: 'CALM' } }],
  ['a further field in a key', { where: { position: { mood: 'CALM', n: 1, text: 'a' } } }],
])('refuses findUnique with %s, as Prisma does', async (_, args) => {
  const query: Query = (p) =>
    p.word.findUnique({ where: { position: { mood: 'CALM', n: 1 } }, ...(args as object) })
  const error = await Promise.resolve(query(fixture.plain as Process['prisma'])).catch(
    (failed: Error) => failed,
  )
  await expect(query(one.prisma)).rejects.toMatchObject({ name: (error as Error).name })
})

it('finds the row of several keys at once', async () => {
  const query: Query = (p) =>
    p.word.findUnique({
      where: { position: { mood: 'CALM', n: 1 }, text_mood: { text: 'nobody', mood: 'GREY' } },
    })
  expect(await query(one.prisma)).toBeNull()
})

it('stores no result that could not be read again as it is', async () => {
  await fixture.sql.query(`UPDATE "Review" SET score = 'NaN' WHERE "articleId" = 1`)
  const query: Query = (p) => p.review.findMany({ orderBy: [{ articleId: 'asc' }, { personId: 'asc' }] })
  await other.results.invalidate(['Review'])
  const expected = await query(fixture.plain as Process['prisma'])
  await warm(one, query)
  expect(await query(one.prisma)).toStrictEqual(expected)
})

it('stores no result of more characters than it would decode, and sends its query without delay again', async () => {
  await fixture.sql.query(`UPDATE archive."Word" SET gloss = to_jsonb(repeat('long', 1100000)) WHERE n = 1`)
  try {
    const query: Query = (p) => p.word.findMany({ where: { n: { gte: 1, lte: 1 } } })
    one.reads()
    for (let n = 1; n <= 3; n++) {
      one.statements()
      expect(await query(one.prisma)).toHaveLength(1)
      expect(one.statements()).toHaveLength(1)
    }
    await one.results.drain()
    expect(one.reads()).toEqual({ 'store miss': 1, 'source hit': 1 })
  } finally {
    await fixture.sql.query(`UPDATE archive."Word" SET gloss = NULL WHERE n = 1`)
    await other.results.invalidate(['Word'])
  }
})

it.each<[options: object, message: RegExp]>([
  [{ results: { Nobody: '1h' } }, /option "reads\.results\.Nobody" is .*has no model of this name/],
  [
    { results: { Article: { ttl: '1h', for: '1m' } } },
    /option "reads\.results\.Article\.for" is .*no such option/,
  ],
  [{ results: ['Article'] }, /option "reads\.results" is/],
])('refuses %j', async (reads, message) => {
  const { extendPrisma, ModelCacheWrites } = await import('model-cache')
  const { PrismaPg } = await import('@prisma/adapter-pg')
  const { PrismaClient } = await import('../differential/reads/client/client.ts')
  const client = new PrismaClient({ adapter: new PrismaPg({}) })
  expect(() => extendPrisma(client, new ModelCacheWrites(), { reads } as never)).toThrow(message)
})

it('refuses a duration that is none, at the start', async () => {
  await expect(fixture.open({ models: { Article: 'often' } })).rejects.toThrow(
    /reads\.results\.Article.*"ttl"|ttl/,
  )
})

it('stores the result of the first query after a write, though the fence is being released meanwhile', async () => {
  const query: Query = (p) => p.seat.aggregate({ _sum: { price: true } })
  await warm(one, query)
  await one.prisma.seat.updateMany({ data: { price: { increment: 1 } } })
  one.statements()
  const expected = await query(one.prisma)
  await one.results.drain()
  expect(await query(one.prisma)).toStrictEqual(expected)
  expect(one.statements()).toHaveLength(1)
})

it.each<[string, query: Query, expected: (count: number) => unknown]>([
  ['a query', (p) => p.article.count({ where: { title: { not: '' } } }), (count) => count],
  [
    'a raw query',
    (p) => cached(p, { ttl: '1m', tables: ['Article'] }).$queryRaw`SELECT count(*) FROM "Article"`,
    (count) => [{ count: BigInt(count) }],
  ],
])(
  'sends %s once that takes longer than a load may, and gives each caller a copy',
  async (_, query, expected) => {
    const slow = await fixture.open({ loadTimeoutMs: 20 })
    const count = await fixture.plain.article.count()
    const unlock = await lockArticles()
    slow.sent()
    slow.reads()
    const asked = Promise.all(Array.from({ length: 20 }, () => query(slow.prisma)))
    await eventually(() => slow.reads()['source error'] === 1)
    await unlock()
    const found = await asked
    expect(found).toStrictEqual(Array(20).fill(expected(count)))
    // Each caller may change its own.
    expect(new Set(found).size).toBe(typeof expected(count) === 'object' ? 20 : 1)
    expect(slow.sent()).toHaveLength(1)
  },
)

it('gives all callers the error of a query that takes longer than a load may', async () => {
  const slow = await fixture.open({ loadTimeoutMs: 20 })
  const unlock = await lockArticles()
  slow.sent()
  const query = () => slow.prisma.article.count({ where: { title: { contains: 'late' } } })
  const callers = Promise.allSettled([query(), query()])
  await eventually(() => slow.reads()['source error'] === 1)
  await fixture.sql.query('ALTER TABLE "Article" RENAME TO "Gone"')
  await unlock()
  const outcomes = await callers
  await fixture.sql.query('ALTER TABLE "Gone" RENAME TO "Article"')
  const failed = { status: 'rejected', reason: { code: 'P2021' } }
  expect(outcomes).toMatchObject([failed, failed])
  expect(slow.sent()).toHaveLength(1)
})

it('answers what a query reads past its deadline', async () => {
  const { prisma, results } = await fixture.open({ loadTimeoutMs: 20 })
  const run = async (): Promise<unknown> => {
    await delay(100)
    return prisma.topic.count({ where: { word: { not: 'late' } } })
  }
  const outer = { text: 'outer', model: 'Topic', models: new Set(['Topic']), run }
  expect(await results.answer(outer)).toBe(await fixture.plain.topic.count())
})

it('delivers and stores a quick query while a slow one of the same tick is running', async () => {
  const { prisma, reads, statements } = await fixture.open()
  const view = cached(prisma, { ttl: '1m', tables: ['Topic'] })
  const quick = () => view.$queryRaw`SELECT 1 AS one`
  const unlock = await lockArticles()
  const slow = view.$queryRaw`SELECT count(*) FROM "Article"`.then(() => 'ended')
  expect(await Promise.all([quick(), quick()])).toEqual([[{ one: 1 }], [{ one: 1 }]])
  await eventually(async () => {
    statements()
    await quick()
    return statements().length === 0
  })
  // The slow query has not met its deadline either.
  expect(reads()).not.toHaveProperty('source error')
  await unlock()
  expect(await slow).toBe('ended')
})

it('serves each expired result while the database is away', async () => {
  const process = await fixture.open({ models: { Topic: { ttl: '1s', staleFor: '1h' } } })
  const stale: readonly Query[] = [
    (p) => p.topic.count({ where: { word: { contains: 'o' } } }),
    (p) => p.topic.findMany({ orderBy: { word: 'asc' } }),
  ]
  const both = () => Promise.all(stale.map((query) => query(process.prisma)))
  await warm(process, ...stale)
  const expected = await both()
  await delay(1_100)
  process.reads()
  await fixture.sql.query('ALTER TABLE "Topic" RENAME TO "Gone"')
  const found = await Promise.allSettled(
    [...stale, (p: Process['prisma']) => p.topic.findFirst()].map((query) => query(process.prisma)),
  )
  await fixture.sql.query('ALTER TABLE "Gone" RENAME TO "Topic"')
  expect(found).toMatchObject([
    ...expected.map((value) => ({ status: 'fulfilled', value })),
    { status: 'rejected' },
  ])
  expect(process.reads()).toMatchObject({ 'source error': 3, 'store stale': 2 })
})

/** @returns what lets queries of articles go on */
async function lockArticles(): Promise<() => Promise<unknown>> {
  await fixture.sql.query('BEGIN; LOCK TABLE "Article"')
  return () => fixture.sql.query('COMMIT')
}
