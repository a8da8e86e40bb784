import { type CacheOf, extendPrisma, ModelCacheModule, modelCaches, ModelCacheWrites } from 'model-cache'
import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import type { GuestUser, PrismaClient } from '#prisma/client/client.js'
import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'
import { guest, openPrisma, start, type Started } from './configuration/application.js'

const guests = modelCaches().defineModelCache<GuestUser>()({
  ...guest,
  ttl: '10m',
  lists: { named: { by: 'name' } },
})

let started: Started
let close: () => Promise<void>
let prisma: PrismaClient
let valkey: ValkeyServer
let admin: Redis
let cache: CacheOf<typeof guests>

beforeAll(async () => {
  const opened = await openPrisma()
  close = opened.close
  valkey = await startValkey({ args: ['--maxmemory', '16mb', '--maxmemory-policy', 'noeviction'] })
  admin = new Redis(valkey.url.replace('valkey', 'redis'))
  prisma = extendPrisma(opened.prisma, new ModelCacheWrites(), { reads: 'all' })
  started = await start([
    ModelCacheModule.forRoot({
      valkey: { url: valkey.url, deadlineMs: patientMs },
      prisma,
      consistency: { mode: 'strict' },
      maxNotFoundBytes: 2 ** 20,
      registry: new Registry(),
    }),
    ModelCacheModule.forFeature([guests]),
  ])
  cache = started.cache(guests)
})

afterAll(async () => {
  await started.app.close()
  admin.disconnect()
  await close()
  await valkey.stop()
})

/** Longer than any id or key whose row is stored. */
const longIds = Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(2 ** 20)}`)

const usedMegabytes = async (): Promise<number> =>
  Number(/used_memory:(\d+)/.exec(await admin.info('memory'))![1]) / 2 ** 20

async function writeOne(id: string): Promise<void> {
  await prisma.guestUser.create({ data: { id, name: id, email: `${id}@example.org` } })
  expect(await cache.get(id)).toMatchObject({ name: id })
}

describe('a client that can only cause reads', () => {
  it('cannot fill the store with long ids of rows that do not exist', async () => {
    for (const id of longIds) expect(await cache.get(id)).toBeNull()
    expect(await usedMegabytes()).toBeLessThan(8)
    await writeOne('first')
  })

  it('cannot fill it with long keys of lookups', async () => {
    for (const key of longIds) expect(await cache.list('named', key)).toEqual([])
    expect(await usedMegabytes()).toBeLessThan(8)
    await writeOne('second')
  })

  it('cannot fill it with many ids and keys either', async () => {
    const long = 'z'.repeat(900)
    const ids = Array.from({ length: 4_000 }, (_, i) => `${i} ${long}`)
    expect((await cache.getMany(ids)).every((row) => row === null)).toBe(true)
    expect((await cache.listMany('named', ids)).every((list) => list.length === 0)).toBe(true)
    expect(await usedMegabytes()).toBeLessThan(8)
    await writeOne('third')
  })

  it('gets what Prisma gives for a long id, and rows of such ids are read', async () => {
    const id = `long ${'w'.repeat(2_000)}`
    expect(await prisma.guestUser.findUnique({ where: { id } })).toBeNull()
    await prisma.guestUser.create({ data: { id, name: 'long', email: 'long@example.org' } })
    expect(await prisma.guestUser.findUnique({ where: { id } })).toMatchObject({ id, name: 'long' })
    await prisma.guestUser.update({ where: { id }, data: { name: 'longer' } })
    expect(await cache.get(id)).toMatchObject({ id, name: 'longer' })
    const { key } = await cache.explain(id)
    expect(await admin.exists(key)).toBe(0)
  })
})

it('a client that causes writes to rows that do not exist cannot fill the store with their ids', async () => {
  for (const id of longIds) {
    await expect(prisma.guestUser.update({ where: { id }, data: { name: id } })).rejects.toThrow()
    await prisma.guestUser.updateMany({ where: { id }, data: { email: 'none' } })
    await cache.invalidate(id)
  }
  expect(await usedMegabytes()).toBeLessThan(8)
  await writeOne('fourth')
})
