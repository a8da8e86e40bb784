import { LazyModuleLoader } from '@nestjs/core'
import { type } from 'arktype'
import { ModelCacheModule, modelCaches, provideExtendedPrisma } from 'model-cache'
import type { GuestUser, PrismaClient } from '#prisma/client/client.js'
import { openPrisma, ownOptions, start } from '../configuration/application.js'

const { defineModelCache } = modelCaches()

const GuestRow = type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' })
const guests = defineModelCache<GuestUser>()({ model: 'GuestUser', schema: GuestRow, id: 'id', ttl: '1m' })
const eager = defineModelCache<GuestUser>()({
  model: 'GuestUser',
  name: 'Loaded',
  schema: GuestRow,
  id: 'id',
  ttl: '1m',
  load: () => [],
  dependsOn: [],
})

let another: () => PrismaClient
let close: () => Promise<void>
beforeAll(async () => {
  const opened = await openPrisma()
  ;({ another, close } = opened)
  await opened.prisma.guestUser.create({ data: { id: 'g', name: 'deleted', email: 'ada@x.org' } })
})
afterAll(() => close())

const token = Symbol('prisma')

it.each([[[]], [[eager]]])(
  'refuses a cache of a lazily loaded module whose reads hooks see',
  async (definitions) => {
    const softDelete = (client: PrismaClient): object =>
      client.$extends({
        query: {
          guestUser: {
            findMany: ({ args, query }) =>
              query({ ...args, where: { ...args.where, NOT: { name: 'deleted' } } }),
          },
        },
      })
    const prisma = provideExtendedPrisma<object>(token as never, () => softDelete(another()), [], {
      reads: 'all',
    })
    const { app } = await start([
      ModelCacheModule.forRoot({ ...ownOptions(), prisma: token }),
      ModelCacheModule.forFeature(definitions),
      { module: class Prisma {}, global: true, providers: [prisma], exports: [token] },
    ])
    class Lazy {}
    const loading = app
      .get(LazyModuleLoader)
      .load(() => ({ module: Lazy, imports: [ModelCacheModule.forFeature([guests])] }))
    await expect(loading).rejects.toMatchObject({ code: 'E_READ_HOOKS' })
    const client = app.get<PrismaClient>(token)
    expect(await client.guestUser.findMany({ where: { id: 'g' } })).toEqual([])
    await app.close()
  },
)
