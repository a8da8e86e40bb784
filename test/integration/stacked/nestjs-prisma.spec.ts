import { PrismaPg } from '@prisma/adapter-pg'
import type { PrismaClient } from '@prisma/client'
import { ModelCacheModule, ModelCacheWrites, provideExtendedPrisma } from 'model-cache'
import { ownOptions, start } from '../configuration/application.js'
import { fetchNestjsPrisma, type NestjsPrisma } from './fetch-nestjs-prisma.js'
import { players, useStackDatabase } from './stack.js'

const database = useStackDatabase()
let packaged: NestjsPrisma
beforeAll(async () => {
  packaged = await fetchNestjsPrisma()
})

const adapter = (): PrismaPg => new PrismaPg({ connectionString: database.url, max: 2 })
const moduleOf = (provider: ReturnType<typeof provideExtendedPrisma<PrismaClient>>) => ({
  module: class Extended {},
  global: true,
  providers: [provider],
  exports: [provider.provide],
})

describe.each(['before', 'after'] as const)('nestjs-prisma, imported %s ModelCacheModule', (order) => {
  const startWith = (prisma: NestjsPrisma['PrismaService'] | string, others: readonly object[]) => {
    const own = [
      ModelCacheModule.forRoot({ ...ownOptions(), prisma }),
      ModelCacheModule.forFeature([players]),
    ]
    return start((order === 'before' ? [...others, ...own] : [...own, ...others]) as never)
  }

  async function expectCached(
    prisma: PrismaClient,
    started: Awaited<ReturnType<typeof start>>,
  ): Promise<void> {
    expect(started.logger.warned).toEqual([])
    const cache = started.cache(players)
    expect((await cache.get(1))?.name).toBe('player 1')
    await prisma.player.update({ where: { id: 1 }, data: { name: 'new' } })
    expect((await cache.get(1))?.name).toBe('new')
    await started.app.get(ModelCacheWrites).released()
    await cache.get(1)
    // By another way than the client: only a cache still has the row as it was.
    await database.sql.query(`UPDATE "Player" SET name = 'newer' WHERE id = 1`)
    expect((await prisma.player.findUnique({ where: { id: 1 } }))?.name).toBe('new')
    await started.app.close()
    await prisma.$disconnect()
  }

  it('has its PrismaService extended in place, wherever it is injected', async () => {
    const { PrismaModule, PrismaService } = packaged
    const prismaServiceOptions = { prismaOptions: { adapter: adapter() } }
    const started = await startWith(PrismaService, [
      PrismaModule.forRoot({ isGlobal: true, prismaServiceOptions }),
      moduleOf(
        provideExtendedPrisma<PrismaClient>('EXTENDED', (prisma: PrismaClient) => prisma, [PrismaService], {
          reads: 'all',
        }),
      ),
    ])
    await expectCached(started.app.get(PrismaService, { strict: false }), started)
  })

  it('has the client of its CustomPrismaModule extended', async () => {
    const custom = packaged.CustomPrismaModule.forRootAsync({
      name: 'CUSTOM',
      isGlobal: true,
      useFactory: () => database.openClient(),
    })
    const started = await startWith('EXTENDED', [
      custom,
      moduleOf(
        provideExtendedPrisma<PrismaClient>(
          'EXTENDED',
          ({ client }: { client: PrismaClient }) => client,
          ['CUSTOM'],
          { reads: 'all' },
        ),
      ),
    ])
    const { client } = started.app.get<{ client: PrismaClient }>('CUSTOM', { strict: false })
    await expectCached(client, started)
  })

  it('is warned of at the start if nobody extends its PrismaService', async () => {
    const { PrismaModule, PrismaService } = packaged
    const prismaServiceOptions = { prismaOptions: { adapter: adapter() } }
    const { app, logger } = await startWith(PrismaService, [
      PrismaModule.forRoot({ isGlobal: true, prismaServiceOptions }),
    ])
    expect(logger.warned).toEqual([expect.stringContaining('The Prisma client is not extended')])
    await app.close()
  })
})
