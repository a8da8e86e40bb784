/** docs/internals.md walks through a read and a write, file by file. These tests run both, and look which files V8 has seen at work. */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  type CacheOf,
  captured,
  extendPrisma,
  ModelCacheModule,
  modelCaches,
  ModelCacheWrites,
} from 'model-cache'
import { type Prisma, PrismaClient } from '#prisma/client/client.js'
import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'
import { openPrisma, start, type Started } from './configuration/application.js'

const SOURCES = 'libs/model-cache/src/'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const guests = defineModelCache('GuestUser', { ttl: '10m' })

const session = new Session()
let started: Started
let cache: CacheOf<typeof guests>
let close: () => Promise<void>
let prisma: PrismaClient
let valkey: ValkeyServer

beforeAll(async () => {
  const opened = await openPrisma()
  close = opened.close
  valkey = await startValkey()
  // It connects before it is extended.
  const plain = new PrismaClient({ adapter: captured(new PrismaPg({ connectionString: opened.url })) })
  started = await start([
    ModelCacheModule.forRoot({
      valkey: { url: valkey.url, deadlineMs: patientMs },
      prisma: plain,
      writes: 'manual',
    }),
    ModelCacheModule.forFeature([guests]),
  ])
  cache = started.cache(guests)
  prisma = extendPrisma(plain, started.app.get(ModelCacheWrites))
  await prisma.guestUser.create({ data: { id: 'guest', name: 'Guest', email: 'guest@example.org' } })
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
})

afterAll(async () => {
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  await started.app.close()
  await prisma.$disconnect()
  await valkey.stop()
  await close()
})

/** The files whose functions have run since it was last called. */
async function filesAtWork(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions, url }) => {
    const hasRun = functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0)
    return url.includes(SOURCES) && hasRun
  })
  return new Set(ran.map(({ url }) => url.slice(url.indexOf(SOURCES) + SOURCES.length)))
}

/** The files of a walk, under the line that begins with this. */
function walkOf(title: string): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/internals.md'), 'utf8')
  const [, after = ''] = page.split(`\n**${title}`)
  const [table = ''] = after.slice(after.indexOf('\n|')).split('\n\n')
  return Array.from(table.matchAll(/^\| `([^`]+\.ts)`/gm), ([, file]) => file!)
}

it('is true of a read of a stored row', async () => {
  const walk = walkOf('`cache.get(id)`')
  expect(walk.length).toBeGreaterThan(10)
  await cache.get('guest')
  await filesAtWork()
  expect(await cache.get('guest')).toMatchObject({ name: 'Guest' })
  const files = await filesAtWork()
  expect(walk.filter((file) => !files.has(file))).toEqual([])
})

it('is true of an update', async () => {
  const walk = walkOf('`prisma.user.update(…)`')
  expect(walk.length).toBeGreaterThan(10)
  await filesAtWork()
  await prisma.guestUser.update({ where: { id: 'guest' }, data: { name: 'Other' } })
  const files = await filesAtWork()
  expect(walk.filter((file) => !files.has(file))).toEqual([])
})
