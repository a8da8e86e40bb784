/**
 * One process of an application with everything on: lookups, L1, a follower, reads and writes of an extended client, audits and the
 * inspector.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import {
  type CacheOf,
  getModelCacheToken,
  getModelCacheWritesToken,
  MODEL_CACHE_STORE,
  type ModelCacheWrites,
} from 'model-cache'
import type { ValkeyStore } from 'model-cache/advanced'
import { followPostgres } from '@model-cache/follow'
import { ModelCacheInspectorModule } from '@model-cache/inspector'
import pg from 'pg'
import { Registry } from 'prom-client'
import type { PrismaClient } from '#prisma/client/client.js'
import { serveParent } from '../bench/harness.ts'
import { moduleOf, PRISMA } from '../application.ts'
import { type Defect, inflict } from '../defects.ts'
import { settingsOf } from '../process.ts'
import { TrackedStore } from '../tracked-store.ts'
import { openWatchedPrisma } from '../watched-prisma.ts'
import { isServing, takeHolding } from './at-rest.ts'
import { compareCaches } from './compare-caches.ts'
import { guests, randomOf, type Release, usersOf } from './rows.ts'
import { createWorkload } from './workload.ts'

export interface PodSettings {
  readonly number: number
  readonly release: Release
  readonly databaseUrl: string
  readonly valkeyUrl: string
  readonly defect: Defect | undefined
}

const { databaseUrl, defect, number: pod, release, valkeyUrl } = settingsOf<PodSettings>()
const SLOT = 'model_cache_soak'
/** Of all hits, those that are compared with the database. */
const AUDITED = 0.01
const LOOPS = 4

const nothing = (): void => {}
const tracked = new TrackedStore(nothing, nothing)
const logger = {
  log: (message: unknown) => tracked.info(String(message)),
  warn: (message: unknown) => tracked.warn(String(message)),
  error: nothing,
}
const registry = new Registry()
const users = usersOf(release)
let queries = 0

const application = await NestFactory.create<NestFastifyApplication>(
  moduleOf({
    open: () => openWatchedPrisma(databaseUrl, () => void queries++),
    reads: 'all',
    valkey: { url: valkeyUrl },
    follow: followPostgres({ url: databaseUrl, slot: SLOT }),
    audit: { rate: AUDITED },
    registry,
    definitions: { users, guests },
    imports: [ModelCacheInspectorModule.forRoot({ show: { User: '*' } })],
  }),
  new FastifyAdapter(),
  { logger },
)
await application.listen(0, '127.0.0.1')

const store = application.get<ValkeyStore>(MODEL_CACHE_STORE)
if (defect) inflict(store, defect)
const writes = application.get<ModelCacheWrites>(getModelCacheWritesToken())
const caches = {
  users: application.get<CacheOf<typeof users>>(getModelCacheToken(users)),
  guests: application.get<CacheOf<typeof guests>>(getModelCacheToken(guests)),
}
const prisma = application.get<PrismaClient>(PRISMA)
const database = new pg.Pool({ connectionString: databaseUrl, max: 1 })
const workload = createWorkload(caches, prisma, pod, randomOf(`pod ${pod}`))

async function countAudits() {
  const counter = registry.getSingleMetric('model_cache_audits_total') as
    { get(): Promise<{ values: readonly { labels: { outcome?: string }; value: number }[] }> } | undefined
  const values = (await counter?.get())?.values ?? []
  const counted = (...outcomes: readonly string[]): number =>
    values
      .filter(({ labels }) => outcomes.includes(labels.outcome ?? ''))
      .reduce((total, { value }) => total + value, 0)
  return { audits: counted('fresh', 'changed', 'stale'), staleAudits: counted('stale') }
}

const methods = serveParent(
  {
    /** Reads and writes for a while. Resolves when nothing is in flight, and the store has taken all invalidations. */
    async work(forMs: number) {
      const until = performance.now() + forMs
      await Promise.all(Array.from({ length: LOOPS }, () => workload.run(until)))
      while (!(await isServing(store)) || !tracked.isCaughtUp) await sleep(20)
      await writes.released()
      return { ...workload.progress(), queries, ...(await countAudits()) }
    },
    look: takeHolding,
    /** Compares everything that caches answer with the database, in which nobody writes meanwhile. */
    compare: () => compareCaches(caches, database),
    /** Ends as an application does that gets SIGTERM. */
    async leave() {
      await application.close()
      await Promise.all([prisma.$disconnect(), database.end()])
    },
  },
  { url: await application.getUrl() },
)
export type Pod = typeof methods
