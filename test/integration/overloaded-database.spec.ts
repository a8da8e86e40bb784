import { setImmediate as turn } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { type } from 'arktype'
import { type CacheOf, ModelCacheModule, modelCaches } from 'model-cache'
import pg from 'pg'
import { Registry } from 'prom-client'
import { type AuctionItem, type GuestUser, PrismaClient } from '#prisma/client/client.js'
import { createDemoDatabase } from '../support/demo-database.js'
import { type ServerProxy, startServerProxy } from '../support/server-proxy.js'
import type { TestDatabase } from '../support/test-database.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'
import { guests, start } from './configuration/application.js'

const { defineModelCache } = modelCaches()

const names = defineModelCache<Pick<GuestUser, 'id' | 'name'>>()({
  name: 'GuestName',
  model: 'GuestUser',
  schema: type({ id: 'string', name: 'string' }),
  id: 'id',
  ttl: '1m',
})
const lots = defineModelCache<Pick<AuctionItem, 'fundraiserId' | 'lot' | 'startsAt'>>()({
  name: 'Lot',
  model: 'AuctionItem',
  schema: type({ fundraiserId: 'string', lot: 'string', startsAt: 'Date' }),
  id: ['fundraiserId', 'lot'],
  ttl: '1m',
})

/** Rows of each kind; a burst reads all of two kinds of guests, and all lots. */
const GUESTS = 2_000
const LOTS = 5_350
const maxConcurrentLoads = 2

let database: TestDatabase
let proxy: ServerProxy
let pool: pg.Pool
let prisma: PrismaClient
/** Queries of tables, as PostgreSQL gets them, and how many of them were under way at once. */
let queries: string[] = []
let underWay = 0
let mostAtOnce = 0
let fundraiserId: string

beforeAll(async () => {
  database = await createDemoDatabase()
  const [fundraiser] = await database.rows<{ id: string }>('SELECT id FROM "Fundraiser" LIMIT 1')
  fundraiserId = fundraiser!.id
  await database.run(`
    INSERT INTO "AuctionItem"
      SELECT (jsonb_populate_record(NULL::"AuctionItem", one || jsonb_build_object('id', 'lot ' || i, 'lot', 'lot ' || i))).*
      FROM (SELECT to_jsonb(a) AS one FROM "AuctionItem" a WHERE "fundraiserId" = '${fundraiserId}' LIMIT 1),
        generate_series(0, ${LOTS - 1}) i;
    INSERT INTO "GuestUser" (id, name, email)
      SELECT 'guest ' || i, 'name ' || i, i || '@example.org' FROM generate_series(0, ${GUESTS - 1}) i`)

  const url = new URL(database.url)
  proxy = await startServerProxy(Number(url.port))
  url.port = String(proxy.port)
  pool = new pg.Pool({ connectionString: url.href, max: 20, connectionTimeoutMillis: 5_000 })
  pool.on('error', () => {})
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>
  pool.query = (async (...args: unknown[]) => {
    queries.push((args[0] as { text: string }).text)
    mostAtOnce = Math.max(mostAtOnce, ++underWay)
    try {
      return await query(...args)
    } finally {
      underWay--
    }
  }) as never
  prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
})

afterAll(async () => {
  await prisma.$disconnect()
  await pool.end()
  await proxy.stop()
  await database.drop()
})

let valkey: ValkeyServer
let close: () => Promise<void>
let guestCache: CacheOf<typeof guests>
let nameCache: CacheOf<typeof names>
let lotCache: CacheOf<typeof lots>

beforeEach(async () => {
  valkey = await startValkey()
  const { app, cache } = await start([
    ModelCacheModule.forRoot({
      valkey: { url: valkey.url },
      prisma,
      maxConcurrentLoads,
      registry: new Registry(),
    }),
    ModelCacheModule.forFeature([guests, names, lots]),
  ])
  close = () => app.close()
  guestCache = cache(guests)
  nameCache = cache(names)
  lotCache = cache(lots)
  queries = []
  mostAtOnce = 0
})

afterEach(async () => {
  await close()
  await valkey.stop()
})

/** All reads of a burst, in an order in which kinds alternate. */
function burst(): (() => Promise<boolean>)[] {
  return Array.from({ length: LOTS }, (_, i) => [
    async () => (await lotCache.get({ fundraiserId, lot: `lot ${i}` }))?.lot === `lot ${i}`,
    ...(i < GUESTS
      ? [
          async () => (await guestCache.get(`guest ${i}`))?.name === `name ${i}`,
          async () => (await nameCache.get(`guest ${i}`))?.name === `name ${i}`,
        ]
      : []),
  ]).flat()
}

describe('a burst of misses', () => {
  it('reaches the database as a few queries below its parameter limit', async () => {
    expect((await Promise.all(burst().map((read) => read()))).every(Boolean)).toBe(true)
    // Lots have composite ids, of which Prisma compiles a query of 250 within a turn.
    expect(queries).toHaveLength(2 + Math.ceil(LOTS / 250))
    const parameters = queries.map((text) => new Set(text.match(/\$\d+/g)).size)
    expect(Math.max(...parameters)).toBeLessThan(32_767)
    expect(mostAtOnce).toBeLessThanOrEqual(maxConcurrentLoads)
  })

  it('isolates one damaged row from the others', async () => {
    // Stands for a page of the table that PostgreSQL cannot read.
    await database.run(`
      ALTER TABLE "GuestUser" RENAME TO "Guests";
      CREATE FUNCTION readable(id text, name text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
        IF id = 'guest 77' THEN RAISE 'missing chunk number 0 for toast value' USING ERRCODE = 'XX001'; END IF;
        RETURN name;
      END $$;
      CREATE VIEW "GuestUser" AS SELECT id, readable(id, name) AS name, email, "createdAt" FROM "Guests"`)
    const ids = Array.from({ length: 200 }, (_, i) => `guest ${i}`)
    const outcomes = await guestCache.getManySettled(ids)
    await database.run(`DROP VIEW "GuestUser"; ALTER TABLE "Guests" RENAME TO "GuestUser"`)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([outcomes[77]])
    expect(outcomes[77]).toMatchObject({ status: 'rejected' })
    expect(queries.length).toBeLessThan(20)
    expect(await guestCache.get('guest 77')).toMatchObject({ name: 'name 77' })
  })
})

describe.each(['SIGSTOP', 'SIGKILL'] as const)('a Valkey that gets %s during a burst', (signal) => {
  it('answers every read, and sends no more concurrent queries than allowed', async () => {
    const reads = burst()
    await Promise.all(reads.slice(0, reads.length / 2).map((read) => read()))
    queries = []
    mostAtOnce = 0
    const answers: Promise<boolean>[] = []
    const ticks = 20
    for (let tick = 0; tick < ticks; tick++) {
      answers.push(
        ...reads
          .slice((tick * reads.length) / ticks, ((tick + 1) * reads.length) / ticks)
          .map((read) => read()),
      )
      if (tick === ticks / 2) await valkey.kill(signal)
      await turn()
    }
    const answered = await Promise.all(answers)
    expect(answered).toHaveLength(reads.length)
    expect(answered.every(Boolean)).toBe(true)
    expect(mostAtOnce).toBeLessThanOrEqual(maxConcurrentLoads)
    // Queries grow in size while they wait for each other, not in number.
    expect(queries.length).toBeLessThan(3 * ticks)
    await valkey.kill('SIGCONT')
  })
})

describe('a database that does not answer', () => {
  afterEach(() => proxy.accept().catch(() => {}))

  it('fails only the reads that need it, after a few attempts, and is queried again', async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => `guest ${i}`)
    await guestCache.getMany(ids)
    // Stored, as the next read finds.
    while (queries.length > 0) {
      queries = []
      await guestCache.getMany(ids)
    }
    await proxy.refuse()
    const [stored, missing] = await Promise.all([
      guestCache.getManySettled(ids),
      nameCache.getManySettled(ids),
    ])
    expect(stored.every(({ status }) => status === 'fulfilled')).toBe(true)
    expect(missing.every(({ status }) => status === 'rejected')).toBe(true)
    expect(queries.length).toBeLessThan(10)
    await proxy.accept()
    expect((await nameCache.getMany(ids)).map((row) => row!.id)).toEqual(ids)
  })
})
