import {
  extendPrisma,
  invalidateResults,
  ModelCacheModule,
  ModelCacheWrites,
  modelCaches,
  provideExtendedPrisma,
  type Reads,
} from 'model-cache'
import { Registry } from 'prom-client'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { useOpened } from '../../support/use-opened.js'
import { failureOf, openPrisma, ownOptions, start } from '../configuration/application.js'
import { eventually } from '../../support/eventually.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const users = defineModelCache('User', { ttl: '1m' })

const database = useOpened(openPrisma)
beforeAll(async () => {
  const country = 'CH'
  const names = ['Ada', 'Bea', 'Cleo']
  await database.prisma.user.createMany({
    data: names.map((name) => ({
      email: `${name}@x.org`,
      firstName: name,
      lastName: 'x',
      displayName: name,
      country,
      locale: 'de',
      timezone: 'UTC',
    })),
  })
})

const token = Symbol('prisma')
const reads: Reads = { caches: 'all', results: { User: '1h', AuctionBid: { ttl: '10m', staleFor: '1m' } } }
const application = (of: Reads, registry: Registry) => {
  const prisma = provideExtendedPrisma<object>(token as never, () => database.another(), [], { reads: of })
  return [
    ModelCacheModule.forRoot({ ...ownOptions(), registry, prisma: token, consistency: { fenceMs: 1_000 } }),
    ModelCacheModule.forFeature([users]),
    { module: class Prisma {}, global: true, providers: [prisma], exports: [token] },
  ] as never as Parameters<typeof start>[0]
}

it('answers queries of the provided client, until a write or invalidateResults', async () => {
  const registry = new Registry()
  const { app } = await start(application(reads, registry))
  const prisma = app.get<PrismaClient>(token)
  const fromStore = async (): Promise<number> => {
    const { values } = await registry.getSingleMetric('model_cache_reads_total')!.get()
    const found = values.find(
      ({ labels }) =>
        labels['lookup'] === 'results' && labels['outcome'] === 'hit' && labels['layer'] === 'store',
    )
    return found?.value ?? 0
  }
  const query = () => prisma.user.groupBy({ by: ['country'], _count: { _all: true } })
  expect(await query()).toEqual([{ country: 'CH', _count: { _all: 3 } }])
  await eventually(async () => {
    expect(await query()).toEqual([{ country: 'CH', _count: { _all: 3 } }])
    return (await fromStore()) > 0
  })
  await prisma.user.update({ where: { email: 'Ada@x.org' }, data: { country: 'IT' } })
  expect(await query()).toHaveLength(2)
  await invalidateResults(prisma, ['User'])
  await invalidateResults(prisma)
  expect(await query()).toHaveLength(2)
  await app.close()
})

it('answers no query of another client', async () => {
  const registry = new Registry()
  const { app } = await start(application(reads, registry))
  const second = extendPrisma(database.another(), app.get(ModelCacheWrites), { reads })
  await second.user.count({ where: { displayName: { contains: 'e' } } })
  const { values } = await registry.getSingleMetric('model_cache_reads_total')!.get()
  expect(values.filter(({ value }) => value > 0)).toEqual([])
  await app.close()
})

it('counts queries of a model with caches that a result answers', async () => {
  const registry = new Registry()
  const { app } = await start(application(reads, registry))
  const prisma = app.get<PrismaClient>(token)
  await prisma.user.findMany({ where: { displayName: { contains: 'e' } } })
  const { values } = await registry.getSingleMetric('model_cache_prisma_reads_total')!.get()
  expect(values).toEqual([{ value: 1, labels: { model: 'User', outcome: 'result' } }])
  await app.close()
})

it('refuses durations that are none, at the start', async () => {
  const error = await failureOf(application({ results: { User: 'often' } }, new Registry()))
  expect(error.message).toContain('reads.results.User')
})
