/** What results add to the writes of their models. It counts instead of timing: counts are the same on every machine. */
import { setTimeout as delay } from 'node:timers/promises'
import { openResults, type Process, type Query, type ResultsFixture, person } from './results-fixture.ts'
import { type Command, recordWire, type RecordedWire } from './recorded-wire.ts'

const writes = {
  update: (p) => p.article.update({ where: { id: 5 }, data: { rank: 8 } }),
  'update of two rows': (p) =>
    p.article.updateMany({ where: { id: { in: [3, 5] } }, data: { rank: { increment: 1 } } }),
  create: (p) =>
    p.article.create({
      data: { id: 700, title: 'new', isPublic: true, created: new Date(), authorId: person(1) },
    }),
  'update of a field of `by`': (p) => p.article.update({ where: { id: 700 }, data: { authorId: person(3) } }),
  delete: (p) => p.article.delete({ where: { id: 700 } }),
} satisfies Record<string, Query>

interface Costs {
  /** Before the write returns. */
  readonly roundTrips: number
  /** Scripts that the process sends before, and after the write has returned. */
  readonly scripts: readonly [before: number, after: number]
  /** The keys of all scripts before, but for those of the catalogue. */
  readonly keys: number
  /** What the database is sent, BEGIN and COMMIT included. */
  readonly statements: number
}

let wire: RecordedWire
beforeAll(async () => {
  wire = await recordWire()
})
afterAll(() => wire.stop())

let fixture: ResultsFixture
beforeEach(async () => {
  fixture = await openResults()
})
afterEach(() => fixture.close())

const scriptsIn = (flight: readonly Command[]): readonly Command[] =>
  flight.filter(([name]) => name!.startsWith('eval'))
const keysOf = ([, , count, ...args]: Command): readonly string[] =>
  args.slice(0, Number(count)).filter((key) => !key.includes(':{catalogue}'))

/** The costs of a write of each kind. */
async function costsOf({ prisma, sent }: Process): Promise<Readonly<Record<string, Costs>>> {
  const costs: Record<string, Costs> = {}
  // The first write learns what the tables are, and which scripts the server has.
  await writes.update(prisma)
  for (const [name, write] of Object.entries(writes)) {
    await delay(100)
    wire.flights()
    sent()
    await write(prisma)
    const before = wire.flights()
    const statements = sent().length
    await delay(100)
    const [scripts, after] = [before, wire.flights()].map((flights) => scriptsIn(flights.flat())) as [
      Command[],
      Command[],
    ]
    const own = after.filter((script) => keysOf(script).length > 0)
    costs[name] = {
      roundTrips: before.length,
      scripts: [scripts.length, own.length],
      keys: scripts.flatMap(keysOf).length,
      statements,
    }
  }
  return costs
}

/** By kind of write. */
const each = (costs: Costs, others: Partial<Record<keyof typeof writes, Partial<Costs>>> = {}) =>
  Object.fromEntries(
    Object.keys(writes).map((name) => [name, { ...costs, ...others[name as keyof typeof writes] }]),
  )

const withRows = each(
  { roundTrips: 1, scripts: [1, 1], keys: 2, statements: 1 },
  { 'update of two rows': { keys: 4 } },
)
const withResults = each(
  { roundTrips: 1, scripts: [2, 2], keys: 3, statements: 1 },
  { 'update of two rows': { keys: 5 } },
)

it.each([
  ['no results', { Topic: '1h' }, withRows],
  ['results', { Article: '1h' }, withResults],
  [
    'results by two fields',
    { Article: { ttl: '1h', by: ['authorId', 'title'] } },
    // Each value of a field is a key and its guard. Article 3 has no author.
    each(
      { roundTrips: 1, scripts: [4, 4], keys: 7, statements: 3 },
      {
        'update of two rows': { keys: 11 },
        create: { statements: 1 },
        'update of a field of `by`': { keys: 9, statements: 4 },
      },
    ),
  ],
])('a write of rows that are cached costs what is expected with %s', async (_, models, expected) => {
  const one = await fixture.open({ models, url: wire.url })
  one.addRows('Article')
  expect(await costsOf(one)).toEqual(expected)
})

it.each([
  ['no results', {}],
  ['results of other models', { Topic: '1h', Person: { ttl: '1h', by: 'id' } }],
])('a write to a model that is not cached asks whether it is, and no more, with %s', async (_, models) => {
  const one = await fixture.open({ models, url: wire.url })
  one.addRows('Topic')
  expect(await costsOf(one)).toEqual(each({ roundTrips: 1, scripts: [1, 0], keys: 0, statements: 1 }))
})

it('a write of a process that keeps no results itself costs the same', async () => {
  await fixture.open({ models: { Article: '1h' } })
  const other = await fixture.open({ models: {}, url: wire.url })
  other.addRows('Article')
  expect(await costsOf(other)).toEqual(withResults)
})
