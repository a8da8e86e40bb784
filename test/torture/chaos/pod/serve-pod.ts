/** One process of the application. It reports its work as it goes. */
import { cached, extendPrisma, ModelCacheWrites } from 'model-cache'
import {
  AtRest,
  type CacheObserver,
  KeptResults,
  schemaFactsOf,
  silentObserver,
  watchLoadOf,
} from 'model-cache/advanced'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { machineTime } from '../../clock.ts'
import { inflict } from '../../defects.ts'
import { serveParent, tellParent } from '../../bench/harness.ts'
import type { Answer, WorkReport } from '../../history/history.ts'
import { settingsOf } from '../../process.ts'
import { openStore } from '../../servers/access.ts'
import { TrackedStore } from '../../tracked-store.ts'
import {
  composedLists,
  defineFlags,
  defineFundraisers,
  defineLots,
  flagId,
  flagsNames,
  fundraiserIds,
  lookupOfFlags,
  LOTS,
  type PodCaches,
  readableBy,
} from '../rows.ts'
import { openPodDatabase } from './databases/pod-database.ts'
import { workOnFlags } from './flag-workload.ts'
import { Loops } from '../../loops.ts'
import { workOnLots } from './lot-workload.ts'
import type { PodSettings } from './settings.ts'
import {
  ComposedReader,
  createFlagCache,
  createFundraiserCache,
  createLotCache,
  readAllLots,
  readLookup,
} from './reader.ts'
import { type Death, Writer } from './writer.ts'

const REPORT_EVERY_MS = 100
const FAREWELL_MS = 10_000
/** At rest nothing is measured but what is read. */
const READ_ALL_ATTEMPTS = 4

const settings = settingsOf<PodSettings>()
const { atRest, fundraisers, l1, rows, seed } = settings
const { flags, isPlain = false, lots } = settings.caches as PodCaches
const database = await openPodDatabase(settings.database)

let answers: Answer[] = []
let counts: Record<string, number> = {}
const count = (name: string, times: number): void => {
  counts[name] = (counts[name] ?? 0) + times
}
const countKeys = (name: string, times: number): void => {
  count(name, times)
  if (atRest && name === 'store hit') count('encrypted store hit', times)
  if (name.startsWith('unopened') && (atRest?.opensAll || name !== 'unopened unknown_key'))
    count('unreadable', times)
}
const onCaughtUp = (): void => {
  void tellParent({ kind: 'caughtUp', at: machineTime() } satisfies WorkReport)
  writer.caughtUp()
}
const store = new TrackedStore(countKeys, onCaughtUp, LOTS)
const valkey = openStore(settings.valkey, settings.database.valkeyMs)
await valkey.connect()
if (settings.defect) inflict(valkey, settings.defect)
const { info, observer, warn } = store
const common = { store: store.watch(valkey), consistency: settings.consistency, warn, info }
const writes = new ModelCacheWrites({ ...common, ...(atRest && { atRest }) })
const ofCaches = { ...common, writes, observer, l1, ...(atRest && { atRest: AtRest.of(atRest) }) }
const caches = new Map(flags.map((cache) => [cache.name, createFlagCache(cache, database, ofCaches)]))
const random = createRandom(seed)
const writer = new Writer({
  writes,
  store,
  random,
  name: seed,
  pauses: settings.pauses,
  count,
  report: tellParent,
})
const answering = [
  ...flags.filter(({ name }) => name === flagsNames[0]).map((cache) => defineFlags(cache, l1)),
  ...(lots ? [defineLots(lots, l1), defineFundraisers(l1)] : []),
]
const client = new database.Client({ adapter: database.adapter })
const ofResults = { ttl: '1h', prefer: false, ...(l1 && { l1: { ttl: '30s' } }) } as const
/** By value where a query shows whose lots it reads. Rows come first, as without results. */
const endingByValue = {
  AuctionItem: { ...ofResults, by: 'fundraiserId' },
  Fundraiser: { ...ofResults, by: 'id' },
} as const
const reads = { caches: answering, results: endingByValue }
const prisma = isPlain ? client : extendPrisma(client, writer.writes, { reads })
const lotCache = lots && createLotCache(lots, prisma, ofCaches)
const fundraiserCache = lots && createFundraiserCache(prisma, ofCaches)
const results = isPlain
  ? undefined
  : new KeptResults({
      ...ofCaches,
      observer: resultsObserver(countKeys),
      models: new Map(Object.entries(endingByValue)),
      facts: schemaFactsOf(prisma),
      watchLoad: watchLoadOf(prisma),
    })
writes.reads.results = results
const kept = isPlain ? undefined : cached(prisma, { ttl: '1h' })
const composed = new ComposedReader(prisma, kept, settings.defect === 'child left out')
const allCaches = [...caches.values(), ...[lotCache, fundraiserCache].filter((cache) => cache !== undefined)]
const onRead = (...read: readonly Answer[]): void => void answers.push(...read)
const loops = new Loops(random, ({ name }) => count(`error ${name}`, 1))
const working = { loops, prisma, database, isPlain, random, writer, onRead }

const methods = serveParent({
  /** Reads and writes at random. */
  async work() {
    workOnFlags({ ...working, caches, rows })
    await workOnLots({
      ...working,
      random: createRandom(`${seed} lots`),
      cache: lotCache,
      composed,
      release: lots?.release ?? (isPlain ? 'current' : 'before'),
      fundraisers,
    })
  },
  /** Resolves when all work is done, and the store has taken all invalidations. */
  async rest() {
    await rest()
    for (const cache of allCaches) await cache.drain()
    await results?.drain()
    await reportReads()
  },
  /** Returns the answers of all lookups for all keys. On a busy machine the pool may have to connect again first. */
  async readAll() {
    for (let left = READ_ALL_ATTEMPTS; left > 1; left--) {
      try {
        return await readAll()
      } catch (error) {
        count(`error ${(error as Error).name} at rest`, 1)
      }
    }
    return readAll()
  },
  /** Ends by SIGKILL, at a point of the next write or at once. */
  die: (at: Death) => writer.die(at),
  /** Shuts down gracefully. */
  async leave() {
    await rest()
    for (const cache of allCaches) await cache.close()
    writes.reads.results = undefined
    await results?.close()
    await writes.close()
    await valkey.close()
    // A wire to the database may be silent, and drivers wait for an answer to their farewell.
    const ended = Promise.all([database.close(), prisma.$disconnect()])
    await Promise.race([ended, sleep(FAREWELL_MS)])
    clearInterval(reporting)
    await reportReads()
  },
})
export type Serving = typeof methods
const reporting = setInterval(() => void reportReads(), REPORT_EVERY_MS)

/** Resolves when all work is done and the store has taken all invalidations. */
async function rest(): Promise<void> {
  await loops.stop()
  while (!writer.isTaken) await sleep(20)
}

async function readAll(): Promise<Answer[]> {
  const all: Answer[] = []
  for (const [name, cache] of caches) {
    const readable = Array.from({ length: rows }, (_, row) => row).filter(readableBy(name))
    const keys = readable.map((row) => ({ id: flagId(row) }))
    all.push(...(await readLookup(cache, lookupOfFlags(name), keys)))
  }
  if (lotCache) all.push(...(await readAllLots(lotCache, lots!.release, fundraisers, database)))
  for (const lookup of lots ? composedLists(lots.release) : [])
    all.push(...(await composed.withLots(lookup, fundraiserIds(fundraisers))))
  return all
}

function reportReads(): Promise<void> {
  const message: WorkReport = { kind: 'read', answers, counts }
  answers = []
  counts = {}
  return tellParent(message)
}

/** Counts what results have answered. */
function resultsObserver(count: (name: string, times: number) => void): CacheObserver {
  return {
    ...silentObserver,
    forModel: (name, lookup) => ({
      ...silentObserver.forModel(name, lookup),
      reads: (layer, outcome, times) => {
        if (layer !== 'tick' && outcome === 'hit') count('results answered', times)
      },
      unopenedValues: (reason, times) => count(`unopened ${reason}`, times),
    }),
  }
}
