import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { useOpened } from '../../support/use-opened.ts'
import { Random } from '../differential/random.ts'
import { openResults, type Process, type Query, warm, person } from './results-fixture.ts'

const l1 = { ttl: '10m' }
const models = {
  Person: { ttl: '1h', by: 'id', l1 },
  Article: { ttl: '1h', by: 'authorId', l1 },
  Review: { ttl: '1h', l1 },
  Topic: { ttl: '1h' },
}

const fixture = useOpened(openResults)
const one = useOpened(() => fixture.open({ models }))
const other = useOpened(() => fixture.open({ models }))

const articles =
  (n: number): Query =>
  (p) =>
    p.article.findMany({
      where: { authorId: person(n) },
      include: { reviews: { orderBy: { personId: 'asc' } } },
      orderBy: { id: 'asc' },
    })
const count: Query = (p) => p.review.count()
const withTopics: Query = (p) =>
  p.article.findMany({ where: { authorId: person(1) }, include: { topics: true }, orderBy: { id: 'asc' } })

/** Sends queries until the process has all of them in memory. */
async function warmInMemory(process: Process, ...queries: readonly Query[]): Promise<void> {
  await warm(process, ...queries)
  await eventually(async () => {
    process.reads()
    for (const query of queries) await query(process.prisma)
    return process.reads()['l1 hit'] === queries.length
  })
}

it('answers without the store, with a copy for each caller', async () => {
  await warmInMemory(one, articles(1), count)
  one.reads()
  const [found, again] = await Promise.all([articles(1)(one.prisma), articles(1)(one.prisma)])
  expect(found).toStrictEqual(await articles(1)(fixture.plain as Process['prisma']))
  expect(again).toStrictEqual(found)
  ;(found as { title: string }[])[0]!.title = 'changed'
  expect(await articles(1)(one.prisma)).toStrictEqual(again)
  expect(one.reads()).toEqual({ 'l1 hit': 2, 'tick coalesced': 1 })
})

it('answers queries all of whose models are kept so', async () => {
  await warm(one, withTopics)
  one.reads()
  for (let i = 0; i < 3; i++) await withTopics(one.prisma)
  expect(one.reads()).toEqual({ 'store hit': 3 })
})

describe.each([
  ['the same process', () => one],
  ['another process', () => other],
])('a write of %s', (_, writer) => {
  it('ends what reads its rows, before it returns or a message later', async () => {
    await warmInMemory(one, articles(1), articles(3), count)
    await writer().prisma.article.update({ where: { id: 5 }, data: { rank: { increment: 1 } } })
    one.reads()
    const rank = async (): Promise<unknown> => {
      const found = (await articles(1)(one.prisma)) as { id: number; rank: number }[]
      return found.find(({ id }) => id === 5)!.rank
    }
    const { rank: current } = await fixture.plain.article.findUniqueOrThrow({ where: { id: 5 } })
    if (writer() === one) expect(await rank()).toBe(current)
    else await eventually(async () => (await rank()) === current)
    one.reads()
    // Those of another person are as they were.
    await articles(3)(one.prisma)
    await count(one.prisma)
    expect(one.reads()).toEqual({ 'l1 hit': 2 })
  })

  it('ends what reads any row of its model', async () => {
    await warmInMemory(one, count)
    const before = (await count(one.prisma)) as number
    const key = { articleId: 5, personId: person(5) }
    await writer().prisma.review.create({ data: { ...key, score: 3 } })
    if (writer() === one) expect(await count(one.prisma)).toBe(before + 1)
    else await eventually(async () => (await count(one.prisma)) === before + 1)
    await writer().prisma.review.delete({ where: { articleId_personId: key } })
    if (writer() === one) expect(await count(one.prisma)).toBe(before)
    else await eventually(async () => (await count(one.prisma)) === before)
  })
})

it('shows each process its own writes at once, and those of others a message later', async () => {
  const random = new Random(7)
  const processes = [one, other]
  await warmInMemory(one, articles(1), articles(3), count)
  await warmInMemory(other, articles(1), articles(3), count)
  for (let i = 0; i < 60; i++) {
    const writer = random.pick(processes)
    const where = { id: random.pick([5, 6, 7]) }
    await writer.prisma.article.updateMany({ where, data: { rank: i + 100 } })
    for (const query of [articles(1), articles(3)]) {
      const expected = await query(fixture.plain as Process['prisma'])
      expect(await query(writer.prisma)).toStrictEqual(expected)
    }
    if (i % 10 > 0) continue
    await delay(50)
    for (const { prisma } of processes)
      for (const query of [articles(1), articles(3)])
        expect(await query(prisma)).toStrictEqual(await query(fixture.plain as Process['prisma']))
  }
})
