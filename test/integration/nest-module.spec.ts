import { Inject, Injectable, Module, type Type } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { PrismaPg } from '@prisma/adapter-pg'
import { type } from 'arktype'
import {
  type CacheOf,
  getModelCacheToken,
  InjectModelCache,
  MODEL_CACHE_STORE,
  type ModelCache,
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  type Store,
} from 'model-cache'
import { createModelCache, createPrismaSource, MemoryStore } from 'model-cache/advanced'
import { decimal, json } from 'model-cache/arktype'
import { Registry } from 'prom-client'
import { type AuctionItem, type GuestUser, Prisma, PrismaClient } from '#prisma/client/client.js'
import { type Database, openDatabase } from '#prisma/database.js'
import { createDemoDatabase } from '../support/demo-database.js'
import { patientMs } from '../support/patience.js'
import { valkeyUrl } from '../support/servers.js'

const { defineModelCache } = modelCaches()

const guests = defineModelCache<GuestUser>()({
  model: 'GuestUser',
  schema: type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' }),
  id: 'id',
  ttl: '1m',
})

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

const quiet = (): void => {}
const silent = { log: quiet, warn: quiet, error: quiet }

/** One run's own keys and metrics. */
let runs = 0
const options = (): ModelCacheModuleOptions => ({
  valkey: { url: valkeyUrl(), deadlineMs: patientMs },
  prisma,
  namespace: `nest-${process.pid}-${runs++}`,
  registry: new Registry(),
})

const start = async (imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) => {
  const testing = await Test.createTestingModule({ imports }).setLogger(silent).compile()
  return testing.init()
}

describe('a cache in a Nest application', () => {
  it('reads rows of Prisma through Valkey: one findMany, then none', async () => {
    const app = await start([ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([guests])])
    const cache = app.get<CacheOf<typeof guests>>(getModelCacheToken(guests))
    const rows = await prisma.guestUser.findMany({ take: 20, orderBy: { id: 'asc' } })
    const ids = rows.map((row) => row.id)
    queries = []
    expect(await Promise.all([...ids, 'nobody'].map((id) => cache.get(id)))).toStrictEqual([...rows, null])
    expect(queries).toHaveLength(1)
    expect(await fromStore(() => cache.getMany([...ids, 'nobody']))).toStrictEqual([...rows, null])
    await app.close()
  })

  it('finds rows by composite ids, with a select, decimals and JSON', async () => {
    const app = await start([ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([lots])])
    const cache = app.get<ModelCache<Lot, { fundraiserId: string; lot: string }>>(getModelCacheToken('Lot'))
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
    await app.close()
  })

  it('loads just the fields of the schema', async () => {
    const names = defineModelCache<Pick<GuestUser, 'id' | 'name'>>()({
      name: 'GuestName',
      model: 'GuestUser',
      schema: type({ id: 'string', name: 'string' }),
      id: 'id',
      ttl: '1m',
    })
    const app = await start([ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([names])])
    const { id, name } = (await prisma.guestUser.findFirst())!
    const cache = app.get<CacheOf<typeof names>>(getModelCacheToken(names))
    expect(await cache.get(id)).toStrictEqual({ id, name })
    await app.close()
  })

  it('creates one cache for a definition in two modules, and injects it', async () => {
    @Injectable()
    class Guests {
      constructor(@InjectModelCache(guests) readonly cache: CacheOf<typeof guests>) {}
    }
    @Injectable()
    class Others {
      constructor(@InjectModelCache('GuestUser') readonly cache: ModelCache<GuestUser, string>) {}
    }
    @Module({ imports: [ModelCacheModule.forFeature([guests])], providers: [Guests] })
    class GuestsModule {}
    @Module({ imports: [ModelCacheModule.forFeature([guests])], providers: [Others] })
    class OthersModule {}
    const app = await start([ModelCacheModule.forRoot(options()), GuestsModule, OthersModule])
    expect(app.get(Guests, { strict: false }).cache).toBe(app.get(Others, { strict: false }).cache)
    await app.close()
  })

  it('is injected into modules that do not import it', async () => {
    @Injectable()
    class Guests {
      constructor(@InjectModelCache(guests) readonly cache: CacheOf<typeof guests>) {}
    }
    @Module({ imports: [ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([guests])] })
    class PrismaModule {}
    @Module({ providers: [Guests] })
    class GuestsModule {}
    const app = await start([PrismaModule, GuestsModule])
    expect(await app.get(Guests, { strict: false }).cache.get('nobody')).toBeNull()
    await app.close()
  })

  it('is what the error of Nest names, with what provides it, where it is missing', async () => {
    @Injectable()
    class Guests {
      constructor(@InjectModelCache(guests) readonly cache: CacheOf<typeof guests>) {}
    }
    const testing = Test.createTestingModule({ providers: [Guests] }).setLogger(silent)
    await expect(testing.compile()).rejects.toThrow(
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
    const app = await start([
      ModelCacheModule.forRootAsync({
        imports: [SettingsModule],
        inject: [Settings],
        useFactory: (settings: Settings) => ({ ...settings.options, prisma: PRISMA }),
      }),
      ModelCacheModule.forFeature([guests]),
      PrismaModule,
    ])
    expect(await app.get<CacheOf<typeof guests>>(getModelCacheToken(guests)).get('nobody')).toBeNull()
    await app.close()
  })

  it('can be replaced in a test', async () => {
    @Injectable()
    class Guests {
      constructor(@Inject(getModelCacheToken(guests)) readonly cache: ModelCache<GuestUser, string>) {}
    }
    const testing = await Test.createTestingModule({
      imports: [ModelCacheModule.forRoot(options()), ModelCacheModule.forFeature([guests])],
      providers: [Guests],
    })
      .overrideProvider(getModelCacheToken(guests))
      .useValue('a double')
      .setLogger(silent)
      .compile()
    expect(testing.get(Guests).cache).toBe('a double')
    await testing.close()
  })

  it('finishes fills before it closes, and does not close a store that it was given', async () => {
    const shared = options()
    const app = await start([ModelCacheModule.forRoot(shared), ModelCacheModule.forFeature([guests])])
    const { id } = (await prisma.guestUser.findFirst())!
    await app.get<CacheOf<typeof guests>>(getModelCacheToken(guests)).get(id)
    const store = app.get<Store>(MODEL_CACHE_STORE)
    await app.close()
    await expect(store.ping()).rejects.toMatchObject({ code: 'E_STORE' })

    const next = await start([ModelCacheModule.forRoot(shared), ModelCacheModule.forFeature([guests])])
    queries = []
    await next.get<CacheOf<typeof guests>>(getModelCacheToken(guests)).get(id)
    expect(queries).toEqual([])
    const given = next.get<Store>(MODEL_CACHE_STORE)
    const third = await start([
      ModelCacheModule.forRoot({ ...options(), store: given }),
      ModelCacheModule.forFeature([guests]),
    ])
    await third.close()
    await given.ping()
    await next.close()
  })

  it('counts reads by layer under names without ids', async () => {
    const given = options()
    const app = await start([ModelCacheModule.forRoot(given), ModelCacheModule.forFeature([guests])])
    const cache = app.get<CacheOf<typeof guests>>(getModelCacheToken(guests))
    const { id } = (await prisma.guestUser.findFirst())!
    await cache.getMany([id, id, 'nobody'])
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

describe('bad configuration stops the start, and says what to do', () => {
  const guestSchema = type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' })
  const define = (change: object) =>
    defineModelCache<GuestUser>()({
      model: 'GuestUser',
      schema: guestSchema,
      id: 'id',
      ttl: '1m',
      ...change,
    } as never)
  const failure = async (...imports: NonNullable<Parameters<typeof start>[0]>) => {
    try {
      await (await start(imports)).close()
    } catch (error) {
      return error as Error
    }
    throw new Error('the application started')
  }
  const withRoot = (definitions: object[], root: Partial<ModelCacheModuleOptions> = {}) =>
    failure(
      ModelCacheModule.forRoot({ ...options(), ...root }),
      ModelCacheModule.forFeature(definitions as never),
    )

  it('forFeature without forRoot', async () => {
    const error = await failure(ModelCacheModule.forFeature([guests]))
    expect(error).toMatchObject({ code: 'E_MISSING_ROOT' })
    expect(error.message).toMatch(/ModelCache "GuestUser": .*Import ModelCacheModule\.forRoot/)
  })

  it.each([
    ['undefined in a list', [guests, undefined], /"forFeature\.1" is undefined; expected a definition/],
    ['a definition without a list', guests, /"forFeature\.\w+" is .*; expected a definition/],
    ['a module that exports a function', { guests, defineModelCache }, /"forFeature\.defineModelCache" is /],
  ])('forFeature of %s', (_, given, message) => {
    expect(() => ModelCacheModule.forFeature(given as never)).toThrow(message)
  })

  it('an unknown Prisma model', async () => {
    const error = await withRoot([define({ model: 'Guest' })])
    expect(error).toMatchObject({ code: 'E_UNKNOWN_MODEL' })
    expect(error.message).toMatch(
      /ModelCache "Guest": the Prisma client has no model "Guest"; it has .*GuestUser.*prisma generate/,
    )
  })

  it('two definitions of one name', async () => {
    const ofTwoModules = [define({}), define({})].map((definition) =>
      ModelCacheModule.forFeature([definition]),
    )
    const error = await failure(ModelCacheModule.forRoot(options()), ...ofTwoModules)
    expect(error).toMatchObject({ code: 'E_DUPLICATE_DEFINITION' })
    expect(error.message).toContain('ModelCache "GuestUser": two definitions have this name')
    expect(() => ModelCacheModule.forFeature([define({}), define({})])).toThrow(error.message)
  })

  it('an id that is not unique', async () => {
    const error = await withRoot([define({ id: 'email' })])
    expect(error).toMatchObject({ code: 'E_INVALID_ID_FIELD' })
    expect(error.message).toContain('id "email" is not unique in GuestUser')
    expect(error.message).toContain('Add @id or @unique to it')
    const lot = { name: 'Lots', model: 'AuctionItem', schema: lots.schema, select: lots.select }
    const half = await withRoot([define({ ...lot, id: ['fundraiserId', 'startsAt'] })]).catch(
      (reason: Error) => reason,
    )
    expect(half.message).toMatch(/"startsAt" is a date|is not unique in AuctionItem/)
    const other = type({ fundraiserId: 'string', lot: 'string', itemId: 'string' })
    const pair = { model: 'AuctionItem', schema: other, select: undefined }
    expect(
      (await withRoot([define({ ...pair, name: 'A', id: ['fundraiserId', 'itemId'] })])).message,
    ).toContain(
      'is not unique in AuctionItem, so one id could mean several rows; unique are id, fundraiserId_lot',
    )
    expect((await withRoot([define({ ...pair, name: 'B', id: ['lot', 'itemId'] })])).message).toContain(
      'is not unique',
    )
    const composite = await withRoot([define({ id: ['name', 'email'] })])
    expect(composite.message).toContain('Add @@id([name, email]) or @@unique([name, email])')
  })

  it('a selection that Prisma refuses, or that lacks the id', async () => {
    const unknown = await withRoot([define({ select: { id: true, phone: true } })])
    expect(unknown).toMatchObject({ code: 'E_INVALID_SELECTION' })
    expect(unknown.message).toContain('Unknown field `phone`')
    const lacking = await withRoot([define({ select: { name: true } })])
    expect(lacking.message).toContain('`select` leaves out the id field "id"')
  })

  it('a field of the schema that Prisma does not have', async () => {
    const schema = type({ id: 'string', nickname: 'string' })
    expect((await withRoot([define({ schema })])).message).toContain('Unknown field `nickname`')
  })

  it('a schema with a type that has no scalar', async () => {
    const schema = type({ id: 'string', pattern: type.instanceOf(RegExp) })
    const error = await withRoot([define({ schema })])
    expect(error).toMatchObject({ code: 'E_UNSUPPORTED_SCHEMA' })
    expect(error.message).toContain('ModelCache "GuestUser": schema has an instance of RegExp at "pattern"')
  })

  it('no Prisma client where one is needed', async () => {
    expect(await withRoot([define({})], { prisma: undefined as never })).toMatchObject({
      code: 'E_MISSING_PRISMA',
    })
    class PrismaService {}
    const error = await withRoot([define({})], { prisma: PrismaService as Type<object> })
    expect(error.message).toContain('no module provides PrismaService')
  })

  it('options that cannot work', async () => {
    expect((await withRoot([define({})], { namespace: 'a{b}' })).message).toContain('option "namespace"')
    expect((await withRoot([define({})], { valkey: { url: 'localhost' } })).message).toContain(
      'option "valkey.url"',
    )
  })

  it('does not need the database for any of that', async () => {
    const nowhere = new PrismaClient({
      adapter: new PrismaPg({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' }),
    })
    const error = await withRoot([define({ id: 'email' })], { prisma: nowhere })
    expect(error).toMatchObject({ code: 'E_INVALID_ID_FIELD' })
    const app = await start([
      ModelCacheModule.forRoot({ ...options(), prisma: nowhere }),
      ModelCacheModule.forFeature([define({})]),
    ])
    await expect(
      app.get<ModelCache<GuestUser, string>>(getModelCacheToken('GuestUser')).get('x'),
    ).rejects.toMatchObject({
      code: 'P1001',
    })
    await app.close()
    await nowhere.$disconnect()
  })
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
