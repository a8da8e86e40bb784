/** One process of the application: with CHAOS_POD and an IPC channel, on which it takes orders and reports. */
import { PrismaPg } from '@prisma/adapter-pg'
import { createModelCache, extendPrisma, ModelCacheWrites, ValkeyStore } from 'model-cache'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { machineTime } from '../machine-time.ts'
import { OwnDeath } from './own-death.ts'
import type { Order, PodSettings, Report } from './protocol.ts'
import { createRowSource, defineRevisions, idOf } from './revisions.ts'
import { ToldStore } from './told-store.ts'
import { WatchedWrites } from './watched-writes.ts'
import { Workload } from './workload.ts'

const REPORT_EVERY_MS = 100

// Before anything is waited for: who started it may be gone by then.
process.on('disconnect', () => process.exit())
const settings = JSON.parse(process.env.CHAOS_POD!) as PodSettings
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 10 })
pool.on('error', () => {})
const store = new ValkeyStore({ url: settings.valkeyUrl, deadlineMs: 200 })
await store.connect()

let reads: number[] = []
let counts: Record<string, number> = {}
const count = (name: string, times: number): void => {
  counts[name] = (counts[name] ?? 0) + times
}
const toldStore = new ToldStore(count)
const writes = new ModelCacheWrites()
const cache = createModelCache(defineRevisions(settings), {
  store,
  source: createRowSource(pool),
  writes,
  consistency: settings.consistency,
  observer: toldStore.observer,
  info: (message) => {
    if (!message.includes('all invalidations have reached the store')) return
    void report({ kind: 'caughtUp', at: machineTime() })
    workload.caughtUp()
  },
})
const watched = new WatchedWrites(writes, toldStore)
const adapter = new PrismaPg({ connectionString: settings.databaseUrl, max: 8 })
const prisma = extendPrisma(new PrismaClient({ adapter }), watched)
const death = new OwnDeath()
const workload = new Workload({
  cache,
  pool,
  writes,
  watched,
  prisma,
  store: toldStore,
  rows: settings.rows,
  random: createRandom(settings.seed),
  death,
  count,
  onRead: (row, revision, start, end) => reads.push(row, revision, start, end),
  onWritten: (write) => report({ kind: 'wrote', write }),
})

const obey: { [Kind in Order['do']]: (order: Order & { do: Kind }) => unknown } = {
  work: () => workload.start(),
  async rest() {
    await workload.rest()
    await cache.drain()
    await reportReads()
    await report({ kind: 'resting' })
  },
  async readAll() {
    const rows = await cache.getMany(Array.from({ length: settings.rows }, (_, row) => idOf(row)))
    await report({ kind: 'readAll', revisions: rows.map((row) => row?.revision ?? -1) })
  },
  die: ({ at }) => death.order(at),
  async leave() {
    await workload.rest()
    await cache.close()
    await store.close()
    await Promise.all([pool.end(), prisma.$disconnect()])
    clearInterval(reporting)
    await reportReads()
    process.disconnect!()
  },
}

process.on('message', (order: Order) => obey[order.do](order as never))
const reporting = setInterval(() => void reportReads(), REPORT_EVERY_MS)
await report({ kind: 'ready' })

function reportReads(): Promise<void> {
  const message: Report = { kind: 'read', reads: Float64Array.from(reads), counts }
  reads = []
  counts = {}
  return report(message)
}

/** Resolves when it is on its way, even if the process ends then. */
function report(message: Report): Promise<void> {
  return new Promise((resolve) => {
    // To somebody who is gone there is nothing to be said.
    process.send!(message, undefined, undefined, () => resolve())
  })
}
