import { LazyModuleLoader } from '@nestjs/core'
import { ModelCacheModule, modelCaches, provideExtendedPrisma, type Reads } from 'model-cache'
import { Registry } from 'prom-client'
import type { GuestUser, PrismaClient } from '#prisma/client/client.js'
import { useOpened } from '../../support/use-opened.js'
import { failureOf, guest, guests, openPrisma, ownOptions, start } from '../configuration/application.js'

/** Hooks do not see what it loads itself. */
const loaded = modelCaches().defineModelCache<GuestUser>()({
  ...guest,
  name: 'Loaded',
  load: () => [],
  dependsOn: [],
})

const database = useOpened(openPrisma)
beforeAll(async () => {
  await database.prisma.guestUser.create({ data: { id: 'g', name: 'Ada', email: 'ada@x.org' } })
  await database.prisma.guestUser.create({ data: { id: 'gone', name: 'deleted', email: 'ada@x.org' } })
})

const token = Symbol('prisma')
const registry = new Registry()
const imports = (
  reads: Reads,
  extend = (client: PrismaClient): object => client,
  definitions: readonly object[] = [guests],
) => {
  const prisma = provideExtendedPrisma<object>(token as never, () => extend(database.another()), [], {
    reads,
  })
  return [
    ModelCacheModule.forRoot({ ...ownOptions(), registry, prisma: token }),
    ModelCacheModule.forFeature(definitions as never),
    { module: class Prisma {}, global: true, providers: [prisma], exports: [token] },
  ]
}

it('answers queries of the provided client', async () => {
  const { app } = await start(imports([guests]))
  const prisma = app.get<PrismaClient & { $uncached: PrismaClient }>(token)
  const query = { where: { id: 'g' }, select: { name: true } }
  expect(await prisma.guestUser.findUnique(query)).toEqual({ name: 'Ada' })
  expect(await prisma.$uncached.guestUser.findUnique(query)).toEqual({ name: 'Ada' })
  const { values } = await registry.getSingleMetric('model_cache_prisma_reads_total')!.get()
  expect(values).toEqual([
    { value: 1, labels: { model: 'GuestUser', outcome: 'answered' } },
    { value: 1, labels: { model: 'GuestUser', outcome: 'uncached' } },
  ])
  await app.close()
})

it('takes a class without a factory, and nothing else', () => {
  class Client {}
  const provider = provideExtendedPrisma(Client, { reads: 'all', root: 'billing' })
  expect(provider).toMatchObject({
    provide: Client,
    inject: [{ token: 'ModelCacheWrites:billing', optional: true }],
  })
  expect(() => provideExtendedPrisma('CLIENT' as never)).toThrow(
    /option "factory" is undefined; expected a function/,
  )
})

const softDelete = (client: PrismaClient): object =>
  client.$extends({
    query: {
      guestUser: {
        findMany: ({ args, query }) => query({ ...args, where: { ...args.where, NOT: { name: 'deleted' } } }),
      },
    },
  })

it('stops the start if hooks see the reads of a cached model', async () => {
  expect(await failureOf(imports('all', softDelete))).toMatchObject({ code: 'E_READ_HOOKS' })
})

it.each<[Reads, number]>([
  ['shadow', 1],
  [{ hooks: 'skip' }, 0],
  [[], 0],
])('starts with hooks and reads: %j', async (reads, warnings) => {
  const { app, logger } = await start(imports(reads, softDelete))
  expect(
    logger.warned.filter((message) => message.includes('query extensions of the client see reads')),
  ).toHaveLength(warnings)
  await app.close()
})

it.each([[[]], [[loaded]]])(
  'refuses a cache of a lazily loaded module whose reads hooks see',
  async (definitions) => {
    const { app } = await start(imports('all', softDelete, definitions))
    const loading = app
      .get(LazyModuleLoader)
      .load(() => ({ module: class Lazy {}, imports: [ModelCacheModule.forFeature([guests])] }))
    await expect(loading).rejects.toMatchObject({ code: 'E_READ_HOOKS' })
    const client = app.get<PrismaClient>(token)
    expect(await client.guestUser.findMany({ where: { id: 'gone' } })).toEqual([])
    await app.close()
  },
)
