import { randomUUID } from 'node:crypto'
import {
  type CacheOf,
  explainQuery,
  getModelCacheToken,
  ModelCacheModule,
  modelCaches,
  provideExtendedPrisma,
  type Reads,
} from 'model-cache'
import { Registry } from 'prom-client'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { useOpened } from '../../support/use-opened.js'
import { openPrisma, ownOptions, start } from '../configuration/application.js'
import { eventually } from '../../support/eventually.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const users = defineModelCache('User', {
  ttl: '1m',
  lists: { byCountry: { by: 'country', orderBy: { email: 'asc' } } },
})
const bids = defineModelCache('AuctionBid', { ttl: '1m', lists: { byBidder: { by: 'bidderId' } } })

const ada = randomUUID()

const opened = useOpened(openPrisma)
beforeAll(async () => {
  await opened.prisma.user.createMany({
    data: ['Ada', 'Bea', 'Cleo'].map((firstName) => ({
      ...(firstName === 'Ada' && { id: ada }),
      email: `${firstName}@x.org`,
      firstName,
      lastName: 'x',
      displayName: firstName,
      country: 'CH',
      locale: 'de',
      timezone: 'UTC',
    })),
  })
})

const token = Symbol('prisma')

async function open(results: Exclude<Extract<Reads, { results?: unknown }>['results'], undefined>) {
  const registry = new Registry()
  const reads: Reads = { caches: 'all', results }
  const create = (): object => opened.another()
  const prisma = provideExtendedPrisma<object>(token as never, create, [], { reads })
  const { app } = await start([
    ModelCacheModule.forRoot({ ...ownOptions(), registry, prisma: token, consistency: { fenceMs: 1_000 } }),
    ModelCacheModule.forFeature([users, bids]),
    { module: class Prisma {}, global: true, providers: [prisma], exports: [token] },
  ] as never as Parameters<typeof start>[0])
  return {
    app,
    client: app.get<PrismaClient>(token),
    async outcomes(): Promise<Readonly<Record<string, number>>> {
      const { values } = await registry.getSingleMetric('model_cache_prisma_reads_total')!.get()
      return Object.fromEntries(
        values.map(({ labels, value }) => [`${labels['model']} ${labels['outcome']}`, value]),
      )
    },
  }
}

const composed = (client: PrismaClient) =>
  client.user.findMany({ where: { country: 'CH' }, include: { bids: true }, orderBy: { email: 'asc' } })

it('answers what several caches would by one result, until a model is written', async () => {
  const { app, client, outcomes } = await open({ User: '1h', AuctionBid: '1h' })
  const expected = await composed(opened.prisma)
  expect(await composed(client)).toStrictEqual(expected)
  expect(await outcomes()).toEqual({ 'User result': 1 })
  await client.user.updateMany({ where: { country: 'CH' }, data: { locale: 'fr' } })
  const written = { locale: 'fr', updatedAt: expect.any(Date) as Date }
  expect(await composed(client)).toStrictEqual(expected.map((user) => ({ ...user, ...written })))
  await app.close()
})

it.each([
  [
    'a row by its key',
    { User: '1h', AuctionBid: '1h' },
    (client: PrismaClient) => client.user.findUnique({ where: { id: ada } }),
  ],
  ['a model that prefers rows', { User: { ttl: '1h', prefer: false }, AuctionBid: '1h' }, composed],
  ['a query of a model that is not listed', { User: '1h' }, composed],
] as const)('leaves %s to rows', async (_, results, query) => {
  const { app, client, outcomes } = await open(results as never)
  const expected = await query(opened.prisma)
  expect(await query(client)).toStrictEqual(expected)
  expect(Object.keys(await outcomes()).filter((name) => name.endsWith('result'))).toEqual([])
  await app.close()
})

it('answers even a single row by a result if that is preferred', async () => {
  const { app, client, outcomes } = await open({ User: { ttl: '1h', prefer: true } })
  const query = () => client.user.findUniqueOrThrow({ where: { id: ada } })
  expect(await query()).toMatchObject({ firstName: 'Ada' })
  expect(await query()).toMatchObject({ firstName: 'Ada' })
  await expect(client.user.findUniqueOrThrow({ where: { id: randomUUID() } })).rejects.toMatchObject({
    code: 'P2025',
  })
  expect(await outcomes()).toEqual({ 'User result': 2 })
  await app.close()
})

it.each([
  ['leaves queries that seldom find a result to the database', { User: '1h' }, 2_600],
  ['looks for a result of each if that is preferred', { User: { ttl: '1h', prefer: true } }, 4_000],
] as const)('%s', async (_, results, most) => {
  const { app, client, outcomes } = await open(results)
  const where = (n: number) => ({ displayName: { contains: `no ${n}` } })
  for (let n = 0; n < 4_000; n += 100) {
    const counts = await Promise.all(
      Array.from({ length: 100 }, (_each, i) => client.user.count({ where: where(n + i) })),
    )
    expect(counts).toEqual(counts.map(() => 0))
  }
  const counted = await outcomes()
  // One of 32, drawn by its arguments, is stored in any case.
  expect(counted['User result']).toBeGreaterThan(1_500)
  expect(counted['User result']).toBeLessThanOrEqual(most)
  expect(Object.values(counted).reduce((sum, count) => sum + count, 0)).toBe(4_000)
  const asked = { model: 'User', action: 'count', args: { where: where(1) } } as const
  const { answeredBy, result } = await explainQuery(client, asked)
  const expected = most === 4_000 ? ['result', undefined] : ['database', 'seldom_found']
  expect([answeredBy, result?.refusal]).toEqual(expected)
  await app.close()
})

it('answers by rows if the database fails', async () => {
  const { app, client } = await open({ User: '1h', AuctionBid: '1h' })
  const [userCache, bidCache] = [app.get(getModelCacheToken(users)), app.get(getModelCacheToken(bids))] as [
    CacheOf<typeof users>,
    CacheOf<typeof bids>,
  ]
  const expected = await composed(opened.prisma)
  await eventually(async () => {
    await userCache.list('byCountry', 'CH')
    const found = await bidCache.listMany(
      'byBidder',
      expected.map(({ id }) => id),
    )
    return found.length === 3
  })
  await opened.prisma.$executeRaw`ALTER TABLE "User" RENAME TO "Away"`
  try {
    expect(await composed(client)).toStrictEqual(expected)
  } finally {
    await opened.prisma.$executeRaw`ALTER TABLE "Away" RENAME TO "User"`
  }
  await app.close()
})
