import { Injectable, Module } from '@nestjs/common'
import { PrismaPg } from '@prisma/adapter-pg'
import { type } from 'arktype'
import {
  type CacheOf,
  InjectModelCache,
  MODEL_CACHE_STORE,
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  type Store,
} from 'model-cache'
import { createModelCache, createPrismaSource, MemoryStore } from 'model-cache/advanced'
import { decimal, json } from 'model-cache/arktype'
import type { Registry } from 'prom-client'
import { type AuctionItem, type GuestUser, Prisma, PrismaClient } from '#prisma/client/client.js'
import { type Database, openDatabase } from '#prisma/database.js'
import { createDemoDatabase } from '../support/demo-database.js'
import { failureOf, guest, guests, ownOptions, start } from './configuration/application.js'

const { defineModelCache } = modelCaches()

type Lot = Pick<AuctionItem, 'fundraiserId' | 'lot' | 'startsAt' | 'startingPrice' | 'images' | 'endsAt'>
const lots = defineModelCache<Lot>()({
  name: 'Lot',
  model: 'AuctionItem',
  schema: type({
    fundraiserId: 'string',
    lot: 'string',
    startsAt: 'Date',
    endsAt: 'Date | null',
    startingPrice: decimal,
    images: json,
  }),
  select: { fundraiserId: true, lot: true, startsAt: true, endsAt: true, startingPrice: true, images: true },
  id: ['fundraiserId', 'lot'],
  ttl: '1m',
})

let url: string
let database: Database
let prisma: PrismaClient
let queries: string[]
let drop: () => Promise<void>

beforeAll(async () => {
  ;({ url, drop } = await createDemoDatabase())
  database = await openDatabase({ url })
  const client = new PrismaClient({ adapter: database.adapter, log: [{ emit: 'event', level: 'query' }] })
  client.$on('query', ({ query }) => queries?.push(query))
  prisma = client
})

afterAll(async () => {
  await prisma.$disconnect()
  await database.close()
  await drop()
})

beforeEach(() => {
  queries = []
})

const options = (): ModelCacheModuleOptions => ({ ...ownOptions(), prisma })

describe('a cache in a Nest application', () => {
  it('reads rows of Prisma through Valkey: one findMany, then none', async () => {
    const started = await start([ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([guests])])
    const cache = started.cache(guests)
    const rows = await prisma.guestUser.findMany({ take: 20, orderBy: { id: 'asc' } })
    const ids = rows.map((row) => row.id)
    queries = []
    expect(await Promise.all([...ids, 'nobody'].map((id) => cache.get(id)))).toStrictEqual([...rows, null])
    expect(queries).toHaveLength(1)
    expect(await fromStore(() => cache.getMany([...ids, 'nobody']))).toStrictEqual([...rows, null])
    await started.app.close()
  })

  it('finds rows by composite ids, with a select, decimals and JSON', async () => {
    const started = await start([ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([lots])])
    const cache = started.cache(lots)
    const rows = (await prisma.auctionItem.findMany({
      select: lots.select as object,
      orderBy: { lot: 'asc' },
    })) as unknown as Lot[]
    queries = []
    expect(await cache.getMany(rows)).toStrictEqual(rows)
    expect(queries).toHaveLength(1)
    const [again] = await fromStore(() => cache.getMany([rows[0]!]))
    expect(again).toStrictEqual(rows[0])
    expect(again!.startingPrice).toBeInstanceOf(Prisma.Decimal)
    await started.app.close()
  })

  it('is what the error of Nest names, with what provides it, where it is missing', async () => {
    @Injectable()
    class Guests {
      constructor(@InjectModelCache(guests) readonly cache: CacheOf<typeof guests>) {}
    }
    expect((await failureOf([], [Guests])).message).toMatch(
      /"ModelCache:GuestUser \(of forFeature, or of createTestCache in a unit test\)" at index \[0\]/,
    )
  })

  it('takes options from a factory, and Prisma by its token', async () => {
    @Injectable()
    class Settings {
      readonly options = options()
    }
    @Module({ providers: [Settings], exports: [Settings] })
    class SettingsModule {}
    const PRISMA = Symbol('PRISMA')
    @Module({ providers: [{ provide: PRISMA, useFactory: async () => prisma }], exports: [PRISMA] })
    class PrismaModule {}
    const { app, cache } = await start([
      ModelCacheModule.forRootAsync({
        imports: [SettingsModule],
        inject: [Settings],
        useFactory: (settings: Settings) => ({ ...settings.options, prisma: PRISMA }),
      }),
      ModelCacheModule.forFeature([guests]),
      PrismaModule,
    ])
    expect(await cache(guests).get('nobody')).toBeNull()
    await app.close()
  })

  it('finishes fills before it closes, and does not close a store that it was given', async () => {
    const shared = options()
    const { app, cache } = await start([
      ModelCacheModule.forRoot(shared),
      ModelCacheModule.forFeature([guests]),
    ])
    const { id } = (await prisma.guestUser.findFirst())!
    await cache(guests).get(id)
    const store = app.get<Store>(MODEL_CACHE_STORE)
    await app.close()
    await expect(store.ping()).rejects.toMatchObject({ code: 'E_STORE' })

    const next = await start([ModelCacheModule.forRoot(shared), ModelCacheModule.forFeature([guests])])
    queries = []
    await next.cache(guests).get(id)
    expect(queries).toEqual([])
    const given = next.app.get<Store>(MODEL_CACHE_STORE)
    const third = await start([
      ModelCacheModule.forRoot({ ...options(), store: given }),
      ModelCacheModule.forFeature([guests]),
    ])
    await third.app.close()
    await given.ping()
    await next.app.close()
  })

  it('counts reads by layer under names without ids', async () => {
    const given = options()
    const { app, cache } = await start([
      ModelCacheModule.forRoot(given),
      ModelCacheModule.forFeature([guests]),
    ])
    const { id } = (await prisma.guestUser.findFirst())!
    await cache(guests).getMany([id, id, 'nobody'])
    const text = await (given.registry as Registry).metrics()
    for (const line of [
      'model_cache_reads_total{model="GuestUser",layer="tick",outcome="coalesced"} 1',
      'model_cache_reads_total{model="GuestUser",layer="store",outcome="miss"} 2',
      'model_cache_reads_total{model="GuestUser",layer="source",outcome="hit"} 1',
      'model_cache_reads_total{model="GuestUser",layer="source",outcome="not_found"} 1',
      'model_cache_misses_total{model="GuestUser",reason="not_cached"} 2',
      'model_cache_batch_keys_sum{model="GuestUser"} 2',
    ]) {
      expect(text).toContain(line)
    }
    for (const name of ['read_seconds', 'sync_seconds', 'payload_bytes', 'fills_total']) {
      expect(text).toContain(`model_cache_${name}`)
    }
    for (const name of ['event_loop_lag_seconds', 'event_loop_utilization_ratio', 'gc_pause_seconds']) {
      expect(text).toContain(name)
    }
    expect(text).not.toContain(id)
    await app.close()
  })
})

it('needs a root, also one of the name that forFeature gives', async () => {
  const without = start([ModelCacheModule.forFeature([guests])])
  await expect(without).rejects.toMatchObject({ code: 'E_MISSING_ROOT' })
  await expect(without).rejects.toThrow(/"GuestUser": .*Import ModelCacheModule\.forRoot/)
  const named = start([ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([guests], 'billing')])
  await expect(named).rejects.toThrow("no ModelCacheModule.forRoot({ name: 'billing', ... })")
})

it('refuses two definitions of one name', () => {
  expect(() => ModelCacheModule.forFeature([guests, defineModelCache<GuestUser>()(guest)])).toThrow(
    'ModelCache "GuestUser": two definitions have this name',
  )
})

it('needs no database to start, nor to refuse what cannot work', async () => {
  const nowhere = new PrismaClient({
    adapter: new PrismaPg({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' }),
  })
  const imports = (id: 'id' | 'email') => [
    ModelCacheModule.forRoot({ ...options(), prisma: nowhere }),
    ModelCacheModule.forFeature([defineModelCache<GuestUser>()({ ...guest, id })]),
  ]
  await expect(start(imports('email'))).rejects.toMatchObject({ code: 'E_INVALID_ID_FIELD' })
  const { app, cache } = await start(imports('id'))
  await expect(cache(guests).get('x')).rejects.toMatchObject({ code: 'P1001' })
  await app.close()
  await nowhere.$disconnect()
})

describe('a Prisma source', () => {
  it("is queried in chunks below PostgreSQL's parameter limit", async () => {
    const source = createPrismaSource<GuestUser, string>(prisma, {
      name: 'GuestUser',
      model: 'GuestUser',
      idFields: ['id'],
    })
    const { id } = (await prisma.guestUser.findFirst())!
    queries = []
    const cache = createModelCache(guests, { store: new MemoryStore(), source })
    const rows = await cache.getMany([...Array.from({ length: 40_000 }, (_, i) => `none-${i}`), id])
    expect(rows.filter((row) => row !== null).map((row) => row.id)).toEqual([id])
    expect(queries.length).toBe(9)
  })
})

/** Reads until no query is made: rows are written to the store after their reader has them. */
async function fromStore<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries <= 100; tries++) {
    queries = []
    const value = await read()
    if (queries.length === 0) return value
  }
  throw new Error('it was never answered by the store')
}
