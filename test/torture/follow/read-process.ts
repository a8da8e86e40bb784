/** A process that reads through caches which need a follower: `read-process.ts rows|memory`, with DATABASE_URL and VALKEY_URL. */
import { NestFactory } from '@nestjs/core'
import { type CacheOf, getModelCacheToken, MODEL_CACHE_STORE, modelCaches } from 'model-cache'
import type { ValkeyStore } from 'model-cache/advanced'
import { followElsewhere, type FollowerReport } from 'model-cache/follow'
import type { Prisma } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { serveParent } from '../bench/harness.ts'
import { moduleOf } from '../application.ts'
import { machineTime } from '../clock.ts'
import type { Answer } from '../history/history.ts'
import { type Defect, inflict } from '../defects.ts'
import { Loops } from '../loops.ts'
import { cityName, numbers, userId } from '../users.ts'
import { openProcessDatabase } from './databases/open-process-database.ts'
import { CITIES, type ReaderCall, ROWS } from './judge-reads.ts'

export type ReaderKind = 'rows' | 'memory'

const READERS = 4
/** Of one read, at most. */
const MOST_ROWS = 12
const TTL_MS = 3_600_000
/** The channel of the follower's reports, and after which silence nobody follows. */
const REPORTS = 'mc:{follow}'
const SILENCE_MS = 2_500

const hasMemory = (process.argv[2] as ReaderKind) === 'memory'
const random = createRandom(`model-cache bench follow, ${process.argv[2]}`)
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const users = defineModelCache('User', {
  ttl: TTL_MS,
  follow: 'required',
  ...(hasMemory && { l1: { ttl: TTL_MS, maxEntries: 2 * ROWS } }),
  lists: { ofCity: { by: 'city', orderBy: { id: 'asc' }, caseSensitive: true } },
})

let queries = 0
const database = await openProcessDatabase(process.env.DATABASE_URL!)
const application = await NestFactory.createApplicationContext(
  moduleOf({
    open: () => database.openPrisma(() => void queries++),
    valkey: { url: process.env.VALKEY_URL! },
    follow: followElsewhere(),
    definitions: { users },
  }),
  { logger: false },
)
const cache: CacheOf<typeof users> = application.get(getModelCacheToken(users))
const store = application.get<ValkeyStore>(MODEL_CACHE_STORE)

let report: FollowerReport | undefined
let heardAt = -Infinity
// The connection that the caches hear it by, at the same moment.
const { subscriber } = store.messages
subscriber!.on('message', (channel: string, message: string) => {
  if (channel !== REPORTS) return
  report = JSON.parse(message) as FollowerReport
  heardAt = machineTime()
})

/** The last report; undefined where caches do not count as followed. */
function hear(): ReaderCall['report'] {
  const ageMs = machineTime() - heardAt
  const isFollowed = report?.state === 'following' && report.caches.length > 0
  return isFollowed && ageMs < SILENCE_MS ? { lagMs: report!.lagMs, ageMs } : undefined
}

let reads: ReaderCall[] = []
let failures = 0
let mend = (): void => {}
let loops: Loops

type User = Awaited<ReturnType<typeof cache.list>>[number]
type Found = readonly [lookup: number, key: string, users: readonly (User | null)[]]

/** Reads, with the last report when it began. */
async function noting(read: () => Promise<readonly Found[]>): Promise<ReaderCall> {
  const [said, at] = [hear(), machineTime()]
  const found = await read()
  const end = machineTime()
  const answers = found.map(([lookup, key, users]): Answer => {
    const rows = users.filter((user) => user !== null)
    return [
      lookup,
      key,
      at,
      end,
      rows.map(({ id, rating, city }) => ({ id, version: rating + 1, city: city! })),
    ]
  })
  return { at, report: said ?? hear(), answers }
}

const readRows = (rows: readonly number[]): Promise<ReaderCall> =>
  noting(async () => {
    const ids = rows.map(userId)
    const found = await cache.getMany(ids)
    return ids.map((id, i): Found => [0, id, [found[i]!]])
  })

const readCity = (city: number): Promise<ReaderCall> =>
  noting(async () => [[1, cityName(city), await cache.list('ofCity', cityName(city))]])

async function readAny(): Promise<void> {
  const rows = Array.from({ length: random.integer(1, MOST_ROWS) }, () => random.integer(0, ROWS - 1))
  const readsList = hasMemory && random.chance(0.5)
  reads.push(await (readsList ? readCity(random.integer(0, CITIES - 1)) : readRows([...new Set(rows)])))
}

const methods = serveParent({
  /** What it lacks: it hears of no follower, or stores no rows, as a schema that is new among processes waits at first. */
  async lacks() {
    await readRows([0])
    const before = queries
    await readRows([0])
    return [...(queries === before ? [] : ['stored rows']), ...(hear() ? [] : ['a report'])]
  },
  /** Gives its store a defect, until it is mended. */
  inflict(defect: Defect) {
    mend = inflict(store, defect)
  },
  mend: () => mend(),
  start({ pauseMs }: { readonly pauseMs: number }) {
    // Reads fail while the database is away.
    loops = new Loops(random, () => void failures++)
    loops.start(READERS, pauseMs, readAny)
  },
  async stop() {
    await loops.stop()
    const all = { reads, queries, failures }
    reads = []
    queries = 0
    failures = 0
    return all
  },
  /** Everything, by all lookups that this reader uses. */
  async readAll() {
    const before = queries
    const all = [await readRows(numbers(ROWS))]
    if (hasMemory) for (let city = 0; city < CITIES; city++) all.push(await readCity(city))
    return { reads: all, queries: queries - before }
  },
})
export type Reading = typeof methods
