/**
 * A process of the second region, which loads rows from the standby, and writes to the primary: `region-process.ts rows|memory NUMBER OF`,
 * with DATABASE_URL of the standby, PRIMARY_URL and VALKEY_URL.
 */
import { NestFactory } from '@nestjs/core'
import { getModelCacheToken, MODEL_CACHE_STORE } from 'model-cache'
import type { ValkeyStore } from 'model-cache/advanced'
import { followElsewhere } from 'model-cache/follow'
import type { PrismaClient } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { moduleOf, PRIMARY } from '../application.ts'
import { serveParent } from '../bench/harness.ts'
import { type Defect, inflict } from '../defects.ts'
import { processDatabase } from '../follow/databases/postgresql-process.ts'
import { defineUsers } from '../follow/define-users.ts'
import { CITIES } from '../follow/judge-reads.ts'
import type { ReaderKind } from '../follow/read-process.ts'
import { RecordedReads, type UsersCache } from '../follow/recorded-reads.ts'
import { LOOPS, type Pace, RecordedWrites, type RecordedWritesOptions } from '../follow/recorded-writes.ts'
import { Loops } from '../loops.ts'
import { openPool } from '../open-pool.ts'
import { cityName, cityOf, userId } from '../users.ts'
import { openDatabase, type Query, textOf } from '../watched-prisma.ts'
import { FENCE_MS } from './plan.ts'

const READERS = 3
/** Of the transactions of a process, the part that the library does not see: those of the first region. */
const FOREIGN = 0.3

const [kind, number, of] = process.argv.slice(2) as [ReaderKind, string, string]
const hasMemory = kind === 'memory'
const random = createRandom(`model-cache bench regions, ${number}`)
const users = defineUsers(hasMemory)
const primaryUrl = process.env.PRIMARY_URL!

let defect: Defect | undefined
let queries = 0
let primaryQueries = 0
const isLoad = (sql: string): boolean =>
  /^SELECT .* FROM "public"."User"/s.test(sql) && !/FOR UPDATE/.test(sql)
const primaryPool = openPool(primaryUrl)

/** The same query with another text. */
function sendOther(query: Query, [sent, ...rest]: readonly unknown[], text: string): unknown {
  return query(typeof sent === 'string' ? text : { ...(sent as object), text }, ...rest)
}

function sendToStandby(query: Query, args: readonly unknown[]): unknown {
  const sql = textOf(args[0])
  if (defect === 'rows of the primary' && isLoad(sql)) return (primaryPool.query as Query)(...args)
  if (defect === 'received counts as replayed')
    return sendOther(query, args, sql.replace('pg_last_wal_replay_lsn', 'pg_last_wal_receive_lsn'))
  return query(...args)
}

function sendToPrimary(query: Query, args: readonly unknown[]): unknown {
  if (defect !== 'fence ends with COMMIT') return query(...args)
  return sendOther(query, args, textOf(args[0]).replace('pg_current_wal_insert_lsn()', `'0/0'::pg_lsn`))
}

const application = await NestFactory.createApplicationContext(
  moduleOf({
    open: () => openDatabase(process.env.DATABASE_URL!, () => void queries++, undefined, sendToStandby),
    openPrimary: () =>
      openDatabase(
        primaryUrl,
        (sql) => void (primaryQueries += Number(isLoad(sql))),
        undefined,
        sendToPrimary,
      ),
    valkey: { url: process.env.VALKEY_URL! },
    consistency: { mode: 'strict', fenceMs: FENCE_MS },
    follow: followElsewhere(),
    definitions: { users },
  }),
  { logger: false },
)
const store = application.get<ValkeyStore>(MODEL_CACHE_STORE)
const prisma = application.get<PrismaClient>(PRIMARY)
const reads = new RecordedReads(application.get<UsersCache>(getModelCacheToken(users)), store, random)
const plain = processDatabase(primaryUrl).openWriter(LOOPS)

const userAt = (row: number, version: number) => ({
  id: userId(row),
  rating: version,
  city: cityName(cityOf(row, version, CITIES)),
  email: `${userId(row)}@example.org`,
})
const names = { firstName: 'A', lastName: 'bidder', displayName: 'A bidder', country: 'NZ' }

/** By the library, or as a process of the first region. */
const commit: RecordedWritesOptions['commit'] = async (rows, versions, replaces) => {
  if (random.chance(FOREIGN)) return { commitMs: await plain.commit(rows, versions, replaces) }
  const at = performance.now()
  const written = rows.map((row, i) => userAt(row, versions[i]!))
  const { user } = prisma
  if (replaces)
    await prisma.$transaction([
      user.deleteMany({ where: { id: { in: rows.map(userId) } } }),
      user.createMany({
        data: written.map((one) => ({ ...one, ...names, locale: 'en', timezone: 'UTC' })),
      }),
    ])
  else await prisma.$transaction(written.map(({ id, ...data }) => user.update({ where: { id }, data })))
  // A fence that has expired before the COMMIT promises nothing.
  return { isPromised: performance.now() - at < FENCE_MS }
}

let failures = 0
const fail = (): void => void failures++
let loops: Loops
let mend = (): void => {}

const writes = new RecordedWrites({
  number: Number(number),
  of: Number(of),
  commit,
  versionOf: (row) => plain.versionOf(row),
  /** As a session does: it reads what it has written, or a list in which that is, or no longer is. */
  async afterwards(rows) {
    const city = (rows[0]! + random.integer(0, 1)) % CITIES
    const reading = random.chance(0.5) ? reads.readRows(rows) : reads.readCity(city)
    await reading.then((read) => reads.record(read), fail)
  },
})

const methods = serveParent({
  /** What it lacks: it hears of no follower, or stores no rows, as a schema that is new among processes waits at first. */
  async lacks() {
    try {
      await reads.readRows([0])
      const before = queries + primaryQueries
      await reads.readRows([0])
      return [
        ...(queries + primaryQueries === before ? [] : ['stored rows']),
        ...(reads.hear() ? [] : ['a report']),
      ]
    } catch {
      return ['an answer']
    }
  },
  inflict(added: Defect) {
    const mendStore = inflict(store, added)
    defect = added
    mend = () => {
      mendStore()
      defect = undefined
    }
  },
  mend: () => mend(),
  start(pace: Pace & { readonly pauseMs: number }) {
    writes.start(pace)
    // Reads fail while the standby is away.
    loops = new Loops(random, fail)
    loops.start(READERS, pace.pauseMs, () => reads.readAny(true))
  },
  stopWriting: () => writes.stop(),
  async stopReading() {
    await loops.stop()
    const all = { reads: reads.take(), queries, primaryQueries, failures }
    queries = 0
    primaryQueries = 0
    failures = 0
    return all
  },
  readAll: () => reads.readAll(true),
})
export type RegionProcess = typeof methods
