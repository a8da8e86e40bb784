import { PrismaPg } from '@prisma/adapter-pg'
import { type } from 'arktype'
import {
  extendPrisma,
  getModelCacheToken,
  type ModelCache,
  ModelCacheModule,
  modelCaches,
  ModelCacheWrites,
} from 'model-cache'
import pg from 'pg'
import { Registry } from 'prom-client'
import { type GuestUser, PrismaClient } from '#prisma/client/client.js'
import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'
import { guest, openPrisma, start, type Started } from './configuration/application.js'

const { defineModelCache } = modelCaches()

/** A guest, and the guest after it, which the load reads from the next cache. */
interface Seated {
  id: string
  name: string
  next: string | null
}

/** As many as there are permits. */
const caches = 8
const guests = 40

let app: Started['app']
let url: string
let close: () => Promise<void>
let prisma: PrismaClient
let valkey: ValkeyServer
/** Which guest the load of a guest reads, and from which cache. */
let nextOf: (cache: number, guest: number) => readonly [cache: number, guest: number] | undefined

const guestNumber = (id: string): number => Number(id.slice('guest '.length))
const seats = (cache: number): ModelCache<Seated, string> => app.get(getModelCacheToken(definitions[cache]!))

const definitions = Array.from({ length: caches }, (_, cache) =>
  defineModelCache<Seated>()({
    name: `Seat${cache}`,
    model: 'GuestUser',
    schema: type({ id: 'string', name: 'string', next: 'string | null' }),
    id: 'id',
    ttl: '1m',
    dependsOn: [],
    load: async (client: PrismaClient, ids) => {
      const rows = await client.guestUser.findMany({ where: { id: { in: [...ids] } } })
      return Promise.all(
        rows.map(async ({ id, name }) => {
          const next = nextOf(cache, guestNumber(id))
          const row = next && (await seats(next[0]).get(`guest ${next[1]}`))
          return { id, name, next: row?.name ?? null }
        }),
      )
    },
  }),
)

/** Its rows come from Prisma, through a query hook that reads another cache. */
const hooked = defineModelCache<GuestUser>()({ ...guest, name: 'Hooked' })

/** Its table can be locked. */
const locked = defineModelCache<{ id: string }>()({
  name: 'Locked',
  model: 'AuctionBid',
  schema: type({ id: 'string' }),
  id: 'id',
  ttl: '1m',
})

const startWith = async (
  options: { loadTimeoutMs?: number; namespace?: string },
  features: Parameters<typeof ModelCacheModule.forFeature>[0],
): Promise<Started['app']> => {
  const { app } = await start([
    ModelCacheModule.forRoot({
      valkey: { url: valkey.url, deadlineMs: patientMs },
      prisma,
      registry: new Registry(),
      ...options,
    }),
    ModelCacheModule.forFeature(features),
  ])
  return app
}

beforeAll(async () => {
  const opened = await openPrisma()
  ;({ url, close } = opened)
  await opened.prisma.$executeRawUnsafe(`
    INSERT INTO "GuestUser" (id, name, email)
      SELECT 'guest ' || i, 'name ' || i, i || '@example.org' FROM generate_series(0, ${guests - 1}) i`)
  valkey = await startValkey()
  const writes = new ModelCacheWrites()
  prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 10 }) }).$extends({
    query: {
      guestUser: {
        findMany: async ({ args, query }) => {
          const rows = await query(args)
          if ('name' in (args.select ?? {}) && 'email' in (args.select ?? {})) await seats(0).get('guest 0')
          return rows
        },
      },
    },
  }) as unknown as PrismaClient
  prisma = extendPrisma(prisma, writes)
  app = await startWith({}, [...definitions, hooked])
})

afterAll(async () => {
  await app.close()
  await prisma.$disconnect()
  await close()
  await valkey.stop()
})

beforeEach(async () => {
  for (const definition of [...definitions, hooked])
    await (app.get(getModelCacheToken(definition)) as ModelCache<unknown, unknown>).invalidateAll()
})

describe('eight caches whose loads read each other', () => {
  it('answer where rows of one call need each other, however their reads arrive', async () => {
    // Each chain of rows ends, though each pair of calls would wait for the other.
    nextOf = (cache, guest) => (guest + 1 < guests ? [(cache + 3) % caches, guest + 1] : undefined)
    const ids = Array.from({ length: guests }, (_, guest) => `guest ${guest}`)
    const lists = await Promise.all(definitions.map((_, cache) => seats(cache).getMany(ids)))
    for (const rows of lists)
      expect(rows.map((row) => row!.next)).toEqual([
        ...ids.slice(1).map((id) => `name ${guestNumber(id)}`),
        null,
      ])
  })

  it('refuse a row that needs itself, in a transaction, too', async () => {
    nextOf = (cache, guest) => [(cache + 1) % 3, guest]
    await expect(prisma.$transaction(() => seats(0).get('guest 1'))).rejects.toMatchObject({
      code: 'E_LOAD_CYCLE',
    })
  })
})

it('answers where a query hook of Prisma reads a cache', async () => {
  nextOf = () => undefined
  const cache = app.get<ModelCache<GuestUser, string>>(getModelCacheToken(hooked))
  const reads: Promise<GuestUser | null>[] = []
  for (let guest = 0; guest < guests; guest++) {
    reads.push(cache.get(`guest ${guest}`))
    // Each in a tick of its own.
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }
  expect((await Promise.all(reads)).map((row) => row!.name)).toEqual(
    Array.from({ length: guests }, (_, guest) => `name ${guest}`),
  )
})

it('fails reads of a table that is locked, and goes on with those of others', async () => {
  nextOf = () => undefined
  const other = await startWith({ loadTimeoutMs: 2_000, namespace: 'other' }, [locked, definitions[0]!])
  const cache = other.get<ModelCache<{ id: string }, string>>(getModelCacheToken(locked))
  const seat = other.get<ModelCache<Seated, string>>(getModelCacheToken(definitions[0]!))
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  await session.query('BEGIN; LOCK TABLE "AuctionBid" IN ACCESS EXCLUSIVE MODE')
  const reads: Promise<unknown>[] = []
  for (let bid = 0; bid < caches; bid++) {
    reads.push(cache.get(`bid ${bid}`).catch((error: unknown) => error))
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }
  let hasFailed = false
  void Promise.race(reads).then(() => (hasFailed = true))
  expect(await seat.get('guest 3')).toMatchObject({ name: 'name 3' })
  expect(hasFailed).toBe(false)
  for (const error of await Promise.all(reads)) {
    const message = expect.stringContaining('ModelCache "Locked"')
    expect(error).toMatchObject({ code: 'E_LOAD_TIMEOUT', message })
  }
  await session.query('ROLLBACK')
  await session.end()
  expect(await cache.get('bid 1')).toBeNull()
  await other.close()
})
