import { Injectable } from '@nestjs/common'
import {
  type CacheOf,
  getModelCacheStoreToken,
  InjectModelCache,
  ModelCacheModule,
  provideExtendedPrisma,
  type Store,
} from 'model-cache'
import { ModelCacheHealthModule, SchemaHealthIndicator, StoreHealthIndicator } from 'model-cache/terminus'
import { Registry } from 'prom-client'
import type { PrismaClient } from '#prisma/client/client.js'
import { guests, openPrisma, ownOptions, start, type Started, untilStored } from './application.js'

@Injectable()
class Guests {
  constructor(
    @InjectModelCache(guests) readonly shop: CacheOf<typeof guests>,
    @InjectModelCache(guests, 'billing') readonly billing: CacheOf<typeof guests>,
  ) {}
}

describe('two databases in one application', () => {
  const registry = new Registry()
  let shop: Awaited<ReturnType<typeof openPrisma>>
  let billing: Awaited<ReturnType<typeof openPrisma>>
  let started: Started
  let caches: Guests
  let shopPrisma: PrismaClient
  let billingPrisma: PrismaClient

  beforeAll(async () => {
    shop = await openPrisma()
    billing = await openPrisma()
    for (const { prisma } of [shop, billing]) {
      const name = prisma === shop.prisma ? 'of the shop' : 'of billing'
      await prisma.guestUser.create({ data: { id: 'same', name, email: '' } })
    }
    const { namespace, ...options } = ownOptions()
    started = await start(
      [
        ModelCacheModule.forRoot({ ...options, namespace, registry, prisma: 'SHOP', metricsPrefix: 'app_' }),
        ModelCacheModule.forRootAsync({
          name: 'billing',
          useFactory: () => ({
            ...options,
            namespace: `${namespace}-billing`,
            registry,
            prisma: 'BILLING',
            metricsPrefix: 'app_',
          }),
        }),
        ModelCacheModule.forFeature([guests]),
        ModelCacheModule.forFeature([guests], 'billing'),
        ModelCacheHealthModule,
      ],
      [
        Guests,
        provideExtendedPrisma('SHOP', () => shop.another()),
        provideExtendedPrisma('BILLING', () => billing.another(), [], { root: 'billing' }),
      ],
    )
    caches = started.app.get(Guests)
    shopPrisma = started.app.get('SHOP')
    billingPrisma = started.app.get('BILLING')
  })
  afterAll(async () => {
    await started.app.close()
    await shop.close()
    await billing.close()
  })

  const stored = (cache: CacheOf<typeof guests>): Promise<void> => untilStored(cache, 'same')

  it('keep separate rows for one definition and id', async () => {
    await stored(caches.shop)
    await stored(caches.billing)
    expect(await caches.shop.get('same')).toMatchObject({ name: 'of the shop' })
    expect(await caches.billing.get('same')).toMatchObject({ name: 'of billing' })
  })

  it('see the writes of their own client only', async () => {
    await stored(caches.shop)
    await stored(caches.billing)
    await billingPrisma.guestUser.update({ where: { id: 'same' }, data: { name: 'billed' } })
    expect((await caches.shop.explain('same')).stored.isHit).toBe(true)
    expect(await caches.billing.get('same')).toMatchObject({ name: 'billed' })
    await shopPrisma.guestUser.update({ where: { id: 'same' }, data: { name: 'sold' } })
    expect(await caches.shop.get('same')).toMatchObject({ name: 'sold' })
  })

  it('cause no warning when each client is extended for its root', () => {
    expect(started.logger.warned).toEqual([])
  })

  it('have the label `root` in metrics, and names with the prefix', async () => {
    const text = await registry.metrics()
    expect(text).toMatch(/^app_model_cache_reads_total\{model="GuestUser",layer="source",outcome="hit"\} \d/m)
    expect(text).toMatch(
      /^app_model_cache_reads_total\{model="GuestUser",layer="source",outcome="hit",root="billing"\} \d/m,
    )
    expect(text).toMatch(/^app_model_cache_open_circuits\{side="reads",root="billing"\} 0$/m)
    expect(text).toMatch(/^app_event_loop_utilization_ratio /m)
    expect(text.split('\n').filter((line) => /^[a-z]/.test(line) && !line.startsWith('app_'))).toEqual([])
  })

  it('have separate health indicators', async () => {
    const { app } = started
    const store = app.get(StoreHealthIndicator)
    await app.get<Store>(getModelCacheStoreToken('billing'), { strict: false }).close()
    expect(await store.isHealthy('shop')).toMatchObject({ shop: { status: 'up' } })
    expect(await store.isHealthy('billing', { root: 'billing' })).toMatchObject({
      billing: { status: 'down' },
    })
    expect(await app.get(SchemaHealthIndicator).isHealthy('schemas', { root: 'billing' })).toEqual({
      schemas: { status: 'up' },
    })
  })
})
