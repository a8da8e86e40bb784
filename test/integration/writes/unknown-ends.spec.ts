import { PrismaPg } from '@prisma/adapter-pg'
import { type } from 'arktype'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, createPrismaSource, ValkeyStore } from 'model-cache/advanced'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { createDemoDatabase } from '../../support/demo-database.js'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { valkeyUrl } from '../../support/servers.js'
import { type ServerProxy, startServerProxy } from '../../support/server-proxy.js'

const { defineModelCache } = modelCaches()

const model = defineModelCache<{ id: string; name: string }>()({
  model: 'GuestUser',
  schema: type({ id: 'string', name: 'string' }),
  id: 'id',
  ttl: '1h',
})

let url: string
let other: pg.Client
/** Holds row locks. */
let holder: pg.Client
let proxy: ServerProxy
let direct: PrismaClient
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const database = await createDemoDatabase()
  ;({ url } = database)
  other = new pg.Client({ connectionString: url })
  holder = new pg.Client({ connectionString: url })
  await other.connect()
  await holder.connect()
  // COMMIT of an update waits for the holder of the lock.
  await other.query(`
    CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER wait_at_commit AFTER UPDATE ON "GuestUser" DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION wait_at_commit()`)
  proxy = await startServerProxy(Number(new URL(url).port))
  direct = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
  closing.push(
    database.drop,
    () => other.end(),
    () => holder.end(),
    proxy.stop,
    () => direct.$disconnect(),
  )
})
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

let id: string
let guests = 0
beforeEach(async () => {
  id = `unknown-${++guests}`
  for (let i = 0; i < 7; i++)
    await direct.guestUser.create({ data: { id: i === 0 ? id : `${id}-${i}`, name: 'old', email: id } })
})

/** A process with a cache, whose writes go through `writes`. */
async function openCache(writes?: ModelCacheWrites) {
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const select = { id: true, name: true }
  const source = createPrismaSource<{ id: string; name: string }, string>(direct, {
    name: 'GuestUser',
    model: 'GuestUser',
    idFields: ['id'],
    select,
  })
  // Longer than a test takes.
  const consistency = { fenceMs: 120_000 }
  const cache = createModelCache(model, {
    store,
    source,
    consistency,
    namespace: id,
    ...(writes && { writes }),
  })
  closing.push(async () => {
    await cache.close()
    await store.close()
  })
  return {
    nameOf: async (of = id) => {
      const row = await cache.get(of)
      await cache.drain()
      return row?.name
    },
    explain: () => cache.explain(id),
  }
}

/** A process that writes over a connection with `options`, and another one that reads. */
async function openProcesses(options: pg.PoolConfig) {
  const writes = new ModelCacheWrites()
  const client = new PrismaClient({ adapter: new PrismaPg(options), errorFormat: 'minimal' })
  closing.push(() => client.$disconnect())
  const prisma = extendPrisma(client, writes, { maxRows: 5 })
  const [writer, reader] = [await openCache(writes), await openCache()]
  await reader.nameOf()
  expect((await writer.explain()).stored.isHit).toBe(true)
  return { prisma, writer, reader }
}

function proxied(): pg.PoolConfig {
  const through = new URL(url)
  through.port = String(proxy.port)
  return { connectionString: through.href }
}

const finds = (sql: string): Promise<void> =>
  eventually(async () => (await other.query(sql, [id])).rowCount! > 0)
const isCommitted = `SELECT 1 FROM "GuestUser" WHERE id = $1 AND name = 'new'`
const isWaiting = (event: string): string =>
  `SELECT $1::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event = '${event}'`

const data = { name: 'new' }
const forms: Record<string, (prisma: PrismaClient) => Promise<unknown>> = {
  'a single write': async (prisma) => prisma.guestUser.update({ where: { id }, data }),
  'a write by a condition': async (prisma) =>
    prisma.guestUser.updateMany({ where: { email: id, id: { not: { contains: `${id}-` } } }, data }),
  'a write to more rows than are named': async (prisma) =>
    prisma.guestUser.updateMany({ where: { email: id }, data }),
  'a callback': (prisma) => prisma.$transaction((tx) => tx.guestUser.update({ where: { id }, data })),
  'a batch': (prisma) =>
    prisma.$transaction([
      prisma.guestUser.update({ where: { id: `${id}-1` }, data }),
      prisma.guestUser.update({ where: { id }, data }),
    ]),
  'writes in order': (prisma) =>
    prisma.$transaction([
      prisma.guestUser.updateMany({ where: { email: id, id: { not: { contains: `${id}-` } } }, data }),
      prisma.guestUser.count(),
    ]),
}

describe.each(Object.keys(forms))('if the connection is lost during COMMIT of %s', (form) => {
  it('nobody gets the old row once it is committed', async () => {
    const { prisma, writer, reader } = await openProcesses(proxied())
    await other.query('SELECT pg_advisory_lock(42)')
    const write = expect(forms[form]!(prisma)).rejects.toThrow()
    await finds(isWaiting('advisory'))
    await proxy.refuse()
    await write

    expect([await reader.nameOf(), await writer.nameOf()]).toEqual(['old', 'old'])
    await other.query('SELECT pg_advisory_unlock(42)')
    await finds(isCommitted)
    expect([await reader.nameOf(), await writer.nameOf()]).toEqual(['new', 'new'])
    await proxy.accept()
  })
})

describe('if a statement that waits for a lock is abandoned', () => {
  const cuts: Record<
    string,
    { options: () => pg.PoolConfig; cut: () => Promise<void>; mend: () => Promise<void> }
  > = {
    'because its connection is lost': {
      options: proxied,
      cut: () => proxy.refuse(),
      mend: () => proxy.accept(),
    },
    'because the driver times out': {
      options: () => ({ connectionString: url, query_timeout: 2_000 }),
      cut: async () => {},
      mend: async () => {},
    },
  }
  it.each(Object.keys(cuts))('%s, nobody gets the old row once it is committed', async (cause) => {
    const { options, cut, mend } = cuts[cause]!
    // With a trigger, the write would have a transaction of its own, which is rolled back.
    await other.query('ALTER TABLE "GuestUser" DISABLE TRIGGER wait_at_commit')
    const { prisma, writer, reader } = await openProcesses(options())
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM "GuestUser" WHERE id = $1 FOR UPDATE', [id])
    const write = expect(prisma.guestUser.update({ where: { id }, data })).rejects.toThrow()
    await finds(isWaiting('transactionid'))
    await cut()
    await write

    expect([await reader.nameOf(), await writer.nameOf()]).toEqual(['old', 'old'])
    await holder.query('COMMIT')
    await finds(isCommitted)
    expect([await reader.nameOf(), await writer.nameOf()]).toEqual(['new', 'new'])
    await mend()
    await other.query('ALTER TABLE "GuestUser" ENABLE TRIGGER wait_at_commit')
  })
})

describe('if the database has refused a write', () => {
  const refusals: Record<string, (prisma: PrismaClient) => Promise<unknown>> = {
    'because it breaks a constraint': async (prisma) =>
      prisma.guestUser.update({ where: { id }, data: { id: `${id}-1` } }),
    'because its row does not exist': async (prisma) =>
      prisma.$transaction([
        prisma.guestUser.update({ where: { id }, data }),
        prisma.guestUser.update({ where: { id: 'nobody' }, data }),
      ]),
    'because Prisma refuses it': async (prisma) =>
      prisma.guestUser.update({ where: { id }, data: { name: 1 as never } }),
    'because its callback throws': (prisma) =>
      prisma.$transaction(async (tx) => {
        await tx.guestUser.update({ where: { id }, data })
        throw new Error('changed my mind')
      }),
    'because of a deadlock': async (prisma) =>
      prisma.$executeRawUnsafe('SELECT 1').then(() =>
        prisma.$transaction(async (tx) => {
          await tx.guestUser.update({ where: { id }, data })
          await tx.$executeRawUnsafe(`DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$`)
        }),
      ),
  }
  it.each(Object.keys(refusals))('%s, its row is stored again at once', async (cause) => {
    const { prisma, writer, reader } = await openProcesses({ connectionString: url })
    await expect(refusals[cause]!(prisma)).rejects.toThrow()
    expect((await writer.explain()).guard).not.toBe('fences')
    expect(await reader.nameOf()).toBe('old')
    expect((await writer.explain()).stored.isHit).toBe(true)
  })
})
