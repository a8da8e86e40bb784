import { setImmediate as nextTurn } from 'node:timers/promises'
import { useOpened } from '../../support/use-opened.ts'
import { Random } from '../differential/random.ts'
import { openResults, type Process, type Query, warm, person } from './results-fixture.ts'

const models = {
  Person: { ttl: '1h', by: 'id' },
  Article: { ttl: '1h', by: 'authorId' },
  Topic: '1h',
  Review: { ttl: '1h', by: ['personId', 'articleId'] },
}

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open({ models }))
const other = useOpened(() => fixture.open({ models }))

/** The articles of a person, and what belongs to each. Article 5 is that of person 1. */
const page =
  (n: number): Query =>
  (p) =>
    p.article.findMany({
      where: { authorId: person(n), isPublic: { not: false } },
      include: { reviews: true },
      orderBy: { id: 'asc' },
    })
const profile =
  (n: number): Query =>
  (p) =>
    p.person.findUnique({
      where: { id: person(n) },
      omit: { secret: true },
      include: { articles: { orderBy: { id: 'asc' } }, _count: { select: { reviews: true } } },
    })
const sums =
  (n: number): Query =>
  (p) =>
    p.article.aggregate({ where: { authorId: person(n) }, _sum: { id: true }, _count: true })
const every: Query = (p) => p.article.findMany({ where: { isPublic: true }, orderBy: { id: 'asc' } })

/** Whether each query still has its result. */
async function kept(queries: readonly Query[]): Promise<readonly boolean[]> {
  const found: boolean[] = []
  for (const query of queries) {
    one.statements()
    const result = await query(one.prisma)
    found.push(one.statements().length === 0)
    expect(result).toStrictEqual(await query(fixture.plain as Process['prisma']))
  }
  return found
}

const queries = [page(1), page(3), profile(1), profile(3), sums(1), sums(3), every]

it.each<[string, write: Query, kept: readonly boolean[]]>([
  [
    'an update of a row',
    (p) => p.article.update({ where: { id: 5 }, data: { rank: 7 } }),
    [false, true, false, true, false, true, false],
  ],
  [
    'an update that names the value',
    (p) => p.article.updateMany({ where: { authorId: person(1) }, data: { rank: { increment: 1 } } }),
    [false, true, false, true, false, true, false],
  ],
  [
    'a new row',
    (p) =>
      p.article.create({
        data: { id: 700, title: 'new', isPublic: true, created: new Date(), authorId: person(1) },
      }),
    [false, true, false, true, false, true, false],
  ],
  [
    'a row that is deleted',
    (p) => p.article.delete({ where: { id: 700 } }),
    [false, true, false, true, false, true, false],
  ],
  [
    'rows that are deleted',
    (p) => p.article.deleteMany({ where: { id: 10 } }),
    [false, true, false, true, false, true, false],
  ],
  [
    'a row that moves to another value',
    (p) => p.article.update({ where: { id: 5 }, data: { authorId: person(3) } }),
    [false, false, false, false, false, false, false],
  ],
  [
    'a row that moves back in a transaction, by raw SQL',
    (p) =>
      p.$transaction(async (tx) => {
        await tx.$executeRaw`UPDATE "Article" SET "authorId" = ${person(1)}::uuid WHERE id = 5`
      }),
    [false, false, false, false, false, false, false],
  ],
  [
    'a nested write to a row of a relation',
    (p) =>
      p.person.update({
        where: { id: person(3) },
        data: { articles: { updateMany: { where: {}, data: { rank: 1 } } } },
      }),
    [true, false, true, false, true, false, false],
  ],
  [
    'a row of another model, of one value',
    (p) => p.review.updateMany({ where: { personId: person(2), articleId: 5 }, data: { note: 'written' } }),
    // A page has reviews of any person.
    [false, false, true, true, true, true, true],
  ],
  [
    'a row of the person itself',
    (p) => p.person.update({ where: { id: person(3) }, data: { nick: 'other' } }),
    [true, true, true, false, true, true, true],
  ],
  [
    'rows of nobody',
    (p) => p.article.updateMany({ where: { authorId: null }, data: { rank: 3 } }),
    [true, true, true, true, true, true, false],
  ],
])('ends the results that read the rows of %s, and no others', async (_, write, expected) => {
  await fixture.sql.query(
    `INSERT INTO "Article" VALUES (10, 'title 10', NULL, true, now(), '${person(1)}') ON CONFLICT (id) DO NOTHING`,
  )
  await warm(one, ...queries)
  await write(other.prisma)
  expect(await kept(queries)).toEqual(expected)
})

it('ends the results of all values by a cascade, and by invalidation', async () => {
  await warm(one, ...queries)
  await other.results.invalidate(['Article'])
  expect(await kept(queries)).toEqual([false, false, false, false, false, false, false])
  await warm(one, ...queries)
  // Its articles lose their author.
  await other.prisma.person.delete({ where: { id: person(1) } })
  const found = await kept(queries)
  expect([found[0], found[2], found[4], found[6]]).toEqual([false, false, false, false])
})

it.each<[string, create: Query]>([
  [
    'that are more than are told apart',
    (p) =>
      p.article.createMany({
        data: Array.from({ length: 1_001 }, (_, i) => ({
          id: 10_000 + i,
          title: `one of many ${i}`,
          isPublic: true,
          created: new Date(),
          authorId: person(3),
        })),
      }),
  ],
  [
    'of a query',
    (p) =>
      p.$executeRaw`INSERT INTO "Article" SELECT id + 5000, title || ' copy', rank, is_public, created, "authorId" FROM "Article" WHERE "authorId" = ${person(3)}::uuid AND id < 100`,
  ],
])('ends the results of all values by new rows %s', async (_, create) => {
  await fixture.sql.query('DELETE FROM "Article" WHERE id >= 5000')
  await one.results.invalidate()
  await warm(one, ...queries)
  await create(other.prisma)
  const found = await kept(queries)
  expect([found[1], found[3], found[5], found[6]]).toEqual([false, false, false, false])
})

it('ends what reads the rows of two values by a join table when that connects them', async () => {
  const by = { ttl: '1h', by: 'id' }
  const both = await fixture.open({ models: { Article: by, Topic: by } })
  const topic: Query = (p) =>
    p.article.findUnique({ where: { id: 5 }, select: { topics: { where: { id: 1 } } } })
  for (const change of ['disconnect', 'connect', 'disconnect'] as const) {
    await warm(both, topic)
    await other.prisma.topic.update({ where: { id: 1 }, data: { articles: { [change]: { id: 5 } } } })
    const expected = await topic(fixture.plain as Process['prisma'])
    expect(await topic(both.prisma)).toStrictEqual(expected)
  }
})

it('is not by a field whose values JavaScript cannot compare', async () => {
  await expect(fixture.open({ models: { Word: { ttl: '1h', by: 'gloss' } } })).rejects.toThrow(
    /option "reads\.results\.Word\.by" is .*gloss/,
  )
  await expect(fixture.open({ models: { Word: { ttl: '1h', by: 'nothing' } } })).rejects.toThrow(
    /option "reads\.results\.Word\.by" is .*a field of Word, which has text, mood, n, gloss/,
  )
})

/** Writes of each writer. */
const writesEach = 100

it('never returns a result older than a write to its rows that had returned before', async () => {
  const third = await fixture.open({ models })
  const processes = [one, other, third]
  const values = [2, 3, 4]
  await fixture.sql.query('UPDATE "Article" SET rank = 0')
  // Of each value one row, besides those that are there.
  for (const n of values)
    await fixture.sql.query(
      `INSERT INTO "Article" VALUES (${800 + n}, 'mover ${n}', 0, true, now(), '${person(n)}')`,
    )
  await one.results.invalidate()
  const committed = new Map(values.map((n) => [n, 0]))
  const writing = new Set(processes)
  const write = async (process: Process, seed: number): Promise<void> => {
    const random = new Random(seed)
    for (let i = 0; i < writesEach; i++) {
      const n = random.pick(values)
      const where = { id: 800 + n }
      const data = { rank: { increment: 1 } }
      if (random.chance(60)) await process.prisma.article.update({ where, data })
      else
        await process.prisma.$transaction(async (tx) => {
          // Away and back again.
          await tx.article.update({ where, data: { authorId: null } })
          await tx.article.update({ where, data: { ...data, authorId: person(n) } })
        })
      committed.set(n, committed.get(n)! + 1)
      for (let turns = random.below(60); turns > 0; turns--) await nextTurn()
    }
    writing.delete(process)
  }
  const older: string[] = []
  const read = async ({ prisma }: Process): Promise<void> => {
    for (let n = 0; writing.size > 0; n = (n + 1) % values.length) {
      const value = values[n]!
      const floor = committed.get(value)!
      const [{ _max }, found] = await Promise.all([
        prisma.article.aggregate({ where: { authorId: person(value) }, _max: { rank: true } }),
        prisma.person.findUnique({ where: { id: person(value) }, select: { articles: true } }),
      ])
      const ranks = found!.articles.map(({ rank }) => rank!)
      if (_max.rank! < floor) older.push(`max of ${value}: ${_max.rank}, floor ${floor}`)
      if (Math.max(...ranks) < floor) older.push(`rows of ${value}: ${ranks.join()}, floor ${floor}`)
      await nextTurn()
    }
  }
  await Promise.all([...processes.map(write), ...processes.flatMap((each) => [read(each), read(each)])])
  expect(older).toEqual([])
  const hits = processes.reduce((sum, { reads }) => sum + (reads()['store hit'] ?? 0), 0)
  expect(hits).toBeGreaterThan(0)
}, 240_000)
