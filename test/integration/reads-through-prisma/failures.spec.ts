import { PrismaPg } from '@prisma/adapter-pg'
import { type ExtendedPrisma, extendPrisma, ModelCacheWrites } from 'model-cache'
import { useOpened } from '../../support/use-opened.ts'
import { PrismaClient } from '../differential/client/client.ts'
import { definitionOf, openReadsFixture } from './reads-fixture.ts'

const fixture = useOpened(() =>
  openReadsFixture({
    caches: [
      { model: 'Account', id: 'id' },
      { model: 'Label', id: 'name' },
      { model: 'Team', id: 'name' },
    ],
  }),
)
beforeEach(() => fixture.outcomes())

/** Replaces a method of a cache. */
function breakCache(name: string, change: object): void {
  const { reads } = fixture.writes
  const cache = [...reads.all()].find((each) => each.name === name)
  reads.add({ ...cache!, ...change })
}

async function errorOf(query: PromiseLike<unknown>): Promise<object> {
  try {
    await query
  } catch (error) {
    const { name, message, code, meta } = error as Error & { code?: string; meta?: unknown }
    return { name, message, code, meta }
  }
  throw new Error('the query succeeded')
}

it('lets the database answer if the cache fails', async () => {
  breakCache('Account', {
    get: () => Promise.reject(new Error('the cache has failed')),
    getMany: () => Promise.reject(new Error('the cache has failed')),
  })
  const { prisma } = fixture
  expect(await prisma.account.findUnique({ where: { id: 3 }, select: { id: true } })).toEqual({ id: 3 })
  expect(await prisma.account.findMany({ where: { id: { in: [3] } }, select: { id: true } })).toEqual([
    { id: 3 },
  ])
  expect(fixture.outcomes()).toEqual(['error', 'error'])
})

it('lets the database answer if a row has another id, as its collation compares ids in another way', async () => {
  const row = { name: 'L1', colour: 'blue', parentName: null }
  breakCache('Label', { get: async () => row, getMany: async () => [row, row] })
  const { prisma } = fixture
  expect(await prisma.label.findUnique({ where: { name: 'l1' }, select: { name: true } })).toEqual({
    name: 'l1',
  })
  expect(
    await prisma.label.findMany({ where: { name: { in: ['l1', 'L1'] } }, select: { name: true } }),
  ).toEqual([{ name: 'l1' }])
  expect(fixture.outcomes()).toEqual(['id_value', 'id_value'])
})

it('gives the error of the query itself if the database fails', async () => {
  const { plain, prisma, sql } = fixture
  await sql.query('ALTER TABLE "Team" RENAME TO "Renamed"')
  const query = (client: PrismaClient) =>
    client.team.findMany({ where: { name: { in: ['team 1', 'team 2'] } } })
  const expected = await errorOf(query(plain))
  expect(await errorOf(query(prisma))).toEqual(expected)
  expect(expected).toMatchObject({ code: 'P2021' })
  await sql.query('ALTER TABLE "Renamed" RENAME TO "Team"')
  expect(await query(prisma)).toHaveLength(2)
  expect(fixture.outcomes()).toEqual(['error', 'answered'])
})

it('does not answer the queries of another client, whose database may be another one', async () => {
  const { writes } = fixture
  const adapter = new PrismaPg({ connectionString: fixture.url })
  const other = extendPrisma(new PrismaClient({ adapter }), writes, { reads: 'all' })
  expect(await other.team.findUnique({ where: { name: 'team 1' }, select: { name: true } })).toEqual({
    name: 'team 1',
  })
  expect(fixture.outcomes()).toEqual(['not_registered'])
  await other.$disconnect()
})

it('counts queries from before there was a cache', async () => {
  const writes = new ModelCacheWrites()
  const adapter = new PrismaPg({ connectionString: fixture.url })
  const reads = [definitionOf({ model: 'Team', id: 'name' })]
  const early = extendPrisma(new PrismaClient({ adapter }), writes, { reads })
  const select = { name: true }
  for (const name of ['team 1', 'team 2']) await early.team.findUnique({ where: { name }, select })
  const counts: unknown[] = []
  const [cache] = [...fixture.writes.reads.all()].filter(({ name }) => name === 'Team')
  writes.reads.add({ ...cache!, isFrom: () => true, countRead: (...count) => counts.push(count) })
  await early.team.findUnique({ where: { name: 'team 1' }, select })
  expect(counts).toEqual([
    ['not_registered', 2],
    ['answered', 1],
  ])
  await early.$disconnect()
})

describe('options', () => {
  it('need a coordinator that has caches', () => {
    const client = new PrismaClient({ adapter: new PrismaPg({}) })
    const { reads: _, ...coordinator } = new ModelCacheWrites()
    expect(() => extendPrisma(client, coordinator as never, { reads: 'all' })).toThrow(
      'a coordinator that has caches',
    )
  })

  it('give the client a type with $uncached', () => {
    const typed = (client: ExtendedPrisma<PrismaClient, { reads: 'all' }>): PrismaClient => client.$uncached
    expect(typed).toBeInstanceOf(Function)
  })
})
