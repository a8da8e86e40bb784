import { setImmediate as nextTurn } from 'node:timers/promises'
import { useOpened } from '../../support/use-opened.ts'
import { Random } from '../differential/random.ts'
import { openResults, type Process } from './results-fixture.ts'

const fixture = useOpened(openResults)
let processes: readonly Process[]
beforeAll(async () => {
  processes = [await fixture.open(), await fixture.open(), await fixture.open()]
})

/** Writes of each of three writers. */
const writesEach = 120

/** Sends a write again that PostgreSQL has refused: two writes to all rows may lock them in different orders. */
async function untilCommitted(write: () => PromiseLike<unknown>): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'P2034') throw error
    }
  }
}

it('never returns a result older than a write that had returned before the read was sent', async () => {
  await fixture.sql.query('UPDATE "Article" SET rank = 0')
  await fixture.sql.query('UPDATE archive.seats SET price = 0')
  const [articles] = (await fixture.sql.query('SELECT count(*)::int AS n FROM "Article"')).rows as [
    { n: number },
  ]
  /** How often all articles, and all seats, have been written by writes that have returned. */
  const committed = { articles: 0, seats: 0 }
  const writing = new Set(processes)
  const write = async (process: Process, n: number): Promise<void> => {
    const { prisma } = process
    const random = new Random(n)
    for (let i = 0; i < writesEach; i++) {
      if (random.chance(50)) {
        await untilCommitted(() => prisma.article.updateMany({ data: { rank: { increment: 1 } } }))
        committed.articles++
      } else {
        await untilCommitted(() =>
          prisma.$transaction(async (tx) => {
            await tx.article.updateMany({ data: { rank: { increment: 1 } } })
            await tx.seat.updateMany({ data: { price: { increment: 1 } } })
          }),
        )
        committed.articles++
        committed.seats++
      }
      for (let turns = random.below(40); turns > 0; turns--) await nextTurn()
    }
    writing.delete(process)
  }
  let reads = 0
  const older: string[] = []
  const read = async ({ prisma }: Process): Promise<void> => {
    while (writing.size > 0) {
      const floor = { ...committed }
      const [{ _sum }, { _max }, found] = await Promise.all([
        prisma.article.aggregate({ _sum: { rank: true } }),
        prisma.seat.aggregate({ _max: { price: true } }),
        prisma.article.findMany({
          where: { rank: { gte: 0 } },
          include: { author: { omit: { secret: true } } },
          orderBy: { id: 'asc' },
        }),
      ])
      reads += 3
      if (_sum.rank! / articles.n < floor.articles) older.push(`sum ${_sum.rank}, floor ${floor.articles}`)
      if (Number(_max.price) < floor.seats) older.push(`max ${String(_max.price)}, floor ${floor.seats}`)
      if (found[0]!.rank! < floor.articles) older.push(`rank ${found[0]!.rank}, floor ${floor.articles}`)
      await nextTurn()
    }
  }
  await Promise.all([...processes.map(write), ...processes.flatMap((each) => [read(each), read(each)])])
  expect(older).toEqual([])
  expect(reads).toBeGreaterThan(writesEach)
  const total = processes.length * writesEach
  for (const { prisma, results } of processes) {
    const { _sum } = await prisma.article.aggregate({ _sum: { rank: true } })
    expect(_sum.rank).toBe(total * articles.n)
    await results.drain()
  }
  // What was judged came from results as well.
  expect(processes.reduce((sum, { reads }) => sum + (reads()['store hit'] ?? 0), 0)).toBeGreaterThan(0)
}, 240_000)
