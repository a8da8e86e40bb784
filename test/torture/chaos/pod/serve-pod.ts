/** One process of the application, with CHAOS_POD and an IPC channel for orders and reports. */
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import { createModelCache } from 'model-cache/advanced'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { inflict } from '../../defects.ts'
import type { LotAnswer, UnknownLotEnd } from '../lots/protocol.ts'
import { createLotCache, readAllLots } from './lots/lot-cache.ts'
import { LotPicks } from './lots/lot-picks.ts'
import { LotWorkload } from './lots/lot-workload.ts'
import { openStore } from './open-store.ts'
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
import { UnfencedWrites } from './unfenced-writes.ts'
import { WatchedWrites } from './watched-writes.ts'
import { Workload } from './workload.ts'

const REPORT_EVERY_MS = 100
/** Of PostgreSQL: a late statement ends before the fence of a write with an unknown end. */
const STATEMENT_TIMEOUT_MS = 2_000
/** Of the driver, which gives up some statements that PostgreSQL continues. */
const QUERY_TIMEOUT_MS = 1_500

const FAREWELL_MS = 10_000

// First, in case the parent is already gone.
process.on('disconnect', () => process.exit())
const settings = JSON.parse(process.env.CHAOS_POD!) as PodSettings
const connection = {
  connectionString: settings.databaseUrl,
  max: 10,
  connectionTimeoutMillis: 3_000,
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
let answers: LotAnswer[] = []
let counts: Record<string, number> = {}
const count = (name: string, times: number): void => {
  counts[name] = (counts[name] ?? 0) + times
}
const trackedStore = new TrackedStore(count, () => {
  void report({ kind: 'caughtUp', at: machineTime() })
  unfenced.caughtUp()
})
const valkey = openStore(settings.valkey)
await valkey.connect()
const { warn, info } = trackedStore
if (settings.defect) inflict(valkey, settings.defect)
const watchedStore = trackedStore.watch(valkey)
const common = { store: watchedStore, consistency: settings.consistency, warn, info }
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
const { fundraisers, l1, lots } = settings
const ofLots = { ...common, writes, observer: trackedStore.observer, l1 }
const lotCache = lots && createLotCache(prisma, lots, ofLots)
const death = new OwnDeath()
const unfenced = new UnfencedWrites(death, trackedStore)
const working = { directPool, watched, prisma, death, unfenced, count }
const workload = new Workload({
  ...working,
  caches,
  pool,
  writes,
  store: trackedStore,
  rows: settings.rows,
  random: createRandom(settings.seed),
  onRead: (...read) => found.push(...read),
  onWritten: (write) =>
    report('revisions' in write ? { kind: 'wrote', write } : { kind: 'unknownEnd', write }),
})

const lotRandom = createRandom(`${settings.seed} lots`)
const lotWorkload = new LotWorkload({
  ...working,
  cache: lotCache,
  release: lots?.release ?? 'before',
  picks: new LotPicks(lotRandom, fundraisers),
  random: lotRandom,
  name: settings.seed,
  onRead: (answer) => answers.push(answer),
  onWritten: (write, end) =>
    report(
      end === 'known'
        ? { kind: 'wroteLots', write }
        : { kind: 'unknownLotEnd', write: write as UnknownLotEnd },
    ),
})

const obey: { [Kind in Order['do']]: (order: Order & { do: Kind }) => unknown } = {
  async work() {
    workload.start()
    await lotWorkload.start()
  },
  async rest() {
    await rest()
    for (const cache of allCaches()) await cache.drain()
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
    const read = lotCache ? await readAllLots(lotCache, lots!.release, fundraisers, directPool) : []
    await report({ kind: 'readAll', revisions, answers: read })
  },
  die: ({ at }) => death.order(at),
  async leave() {
    await rest()
    for (const cache of allCaches()) await cache.close()
    await writes.close()
    await valkey.close()
    // The wire to the database may be silent, and drivers wait for an answer to their farewell.
    const ended = Promise.all([pool.end(), directPool.end(), prisma.$disconnect()])
    await Promise.race([ended, sleep(FAREWELL_MS)])
    clearInterval(reporting)
    await reportReads()
    process.disconnect!()
  },
}

process.on('message', (order: Order) => obey[order.do](order as never))
const reporting = setInterval(() => void reportReads(), REPORT_EVERY_MS)
await report({ kind: 'ready' })

/** Resolves when all work is done and the store has taken all invalidations. */
async function rest(): Promise<void> {
  await Promise.all([workload.stop(), lotWorkload.stop()])
  while (!unfenced.areTaken) await sleep(20)
}

function allCaches() {
  return [...caches.values(), ...(lotCache ? [lotCache] : [])]
}

function reportReads(): Promise<void> {
  const message: Report = { kind: 'read', reads: Float64Array.from(found), answers, counts }
  found = []
  answers = []
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
