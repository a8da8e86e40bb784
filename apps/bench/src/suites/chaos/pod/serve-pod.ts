/** One process of the application, with CHAOS_POD and an IPC channel for orders and reports. */
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { OwnDeath } from './own-death.ts'
import {
  cacheNames,
  machineTime,
  type Order,
  type PodSettings,
  type Report,
  type Revision,
} from './protocol.ts'
import { createRowSource, defineRevisions, idOf, reads } from './revisions.ts'
import { TrackedStore } from './tracked-store.ts'
import { WatchedWrites } from './watched-writes.ts'
import { Workload } from './workload.ts'

const REPORT_EVERY_MS = 100
/** Of PostgreSQL: a late statement ends before the fence of a write with an unknown end. */
const STATEMENT_TIMEOUT_MS = 2_000
/** Of the driver, which gives up some statements that PostgreSQL continues. */
const QUERY_TIMEOUT_MS = 1_500

// First, in case the parent is already gone.
process.on('disconnect', () => process.exit())
const settings = JSON.parse(process.env.CHAOS_POD!) as PodSettings
const connection = {
  connectionString: settings.databaseUrl,
  max: 10,
  connectionTimeoutMillis: 1_000,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: QUERY_TIMEOUT_MS,
}
const pool = new pg.Pool(connection)
const directPool = new pg.Pool({ connectionString: settings.directUrl, max: 2 })
for (const each of [pool, directPool]) {
  each.on('error', () => {})
  // Also while a client is in use; its statement fails then.
  each.on('connect', (client) => client.on('error', () => {}))
}

let found: number[] = []
let counts: Record<string, number> = {}
const count = (name: string, times: number): void => {
  counts[name] = (counts[name] ?? 0) + times
}
const trackedStore = new TrackedStore(count, () => {
  void report({ kind: 'caughtUp', at: machineTime() })
  workload.caughtUp()
})
const valkey = new ValkeyStore({ url: settings.valkeyUrl, deadlineMs: 200 })
await valkey.connect()
const { warn, info } = trackedStore
const common = { store: trackedStore.watch(valkey), consistency: settings.consistency, warn, info }
const writes = new ModelCacheWrites(common)
const definitions = settings.caches.map((cache) => ({
  ...cache,
  definition: defineRevisions(cache, settings.l1),
}))
const caches = new Map(
  definitions.map(({ name, buckets, definition }) => [
    name,
    createModelCache(definition, {
      ...common,
      source: createRowSource(pool),
      writes,
      buckets,
      observer: trackedStore.observer,
    }),
  ]),
)
const watched = new WatchedWrites(writes, trackedStore)
const adapter = new PrismaPg({ ...connection, max: 8 })
const answering = definitions.filter(({ name }) => name === cacheNames[0]).map(({ definition }) => definition)
const prisma = extendPrisma(new PrismaClient({ adapter }), watched, { reads: answering })
const death = new OwnDeath()
const workload = new Workload({
  caches,
  pool,
  directPool,
  writes,
  watched,
  prisma,
  store: trackedStore,
  rows: settings.rows,
  random: createRandom(settings.seed),
  death,
  count,
  onRead: (...read) => found.push(...read),
  onWritten: (write) =>
    report('revisions' in write ? { kind: 'wrote', write } : { kind: 'unknownEnd', write }),
})

const obey: { [Kind in Order['do']]: (order: Order & { do: Kind }) => unknown } = {
  work: () => workload.start(),
  async rest() {
    await workload.rest()
    for (const cache of caches.values()) await cache.drain()
    await reportReads()
    await report({ kind: 'resting' })
  },
  async readAll() {
    const revisions: Revision[] = []
    for (const [name, cache] of caches) {
      const rows = Array.from({ length: settings.rows }, (_, row) => row).filter((row) => reads(name, row))
      const given = await cache.getMany(rows.map(idOf))
      revisions.push(...rows.map((row, i) => [row, given[i]?.revision ?? -1] as const))
    }
    await report({ kind: 'readAll', revisions })
  },
  die: ({ at }) => death.order(at),
  async leave() {
    await workload.rest()
    for (const cache of caches.values()) await cache.close()
    await writes.close()
    await valkey.close()
    await Promise.all([pool.end(), directPool.end(), prisma.$disconnect()])
    clearInterval(reporting)
    await reportReads()
    process.disconnect!()
  },
}

process.on('message', (order: Order) => obey[order.do](order as never))
const reporting = setInterval(() => void reportReads(), REPORT_EVERY_MS)
await report({ kind: 'ready' })

function reportReads(): Promise<void> {
  const message: Report = { kind: 'read', reads: Float64Array.from(found), counts }
  found = []
  counts = {}
  return report(message)
}

/** Resolves when the message has been sent, even if the process ends then. */
function report(message: Report): Promise<void> {
  return new Promise((resolve) => {
    // Errors do not matter: then the parent is gone.
    process.send!(message, undefined, undefined, () => resolve())
  })
}
