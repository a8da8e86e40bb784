/** A process that reads through caches which need a follower: `read-process.ts rows|memory`, with DATABASE_URL and VALKEY_URL. */
import { NestFactory } from '@nestjs/core'
import { getModelCacheToken, MODEL_CACHE_STORE } from 'model-cache'
import type { ValkeyStore } from 'model-cache/advanced'
import { followElsewhere } from 'model-cache/follow'
import { createRandom } from '#prisma/demo/random.js'
import { serveParent } from '../bench/harness.ts'
import { moduleOf } from '../application.ts'
import { type Defect, inflict } from '../defects.ts'
import { Loops } from '../loops.ts'
import { openProcessDatabase } from './databases/open-process-database.ts'
import { defineUsers } from './define-users.ts'
import { RecordedReads, type UsersCache } from './recorded-reads.ts'

export type ReaderKind = 'rows' | 'memory'

const READERS = 4

const hasMemory = (process.argv[2] as ReaderKind) === 'memory'
const random = createRandom(`model-cache bench follow, ${process.argv[2]}`)
const users = defineUsers(hasMemory)

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
const store = application.get<ValkeyStore>(MODEL_CACHE_STORE)
const reads = new RecordedReads(application.get<UsersCache>(getModelCacheToken(users)), store, random)

let failures = 0
let mend = (): void => {}
let loops: Loops

const methods = serveParent({
  /** What it lacks: it hears of no follower, or stores no rows, as a schema that is new among processes waits at first. */
  async lacks() {
    await reads.readRows([0])
    const before = queries
    await reads.readRows([0])
    return [...(queries === before ? [] : ['stored rows']), ...(reads.hear() ? [] : ['a report'])]
  },
  /** Gives its store a defect, until it is mended. */
  inflict(defect: Defect) {
    mend = inflict(store, defect)
  },
  mend: () => mend(),
  start({ pauseMs }: { readonly pauseMs: number }) {
    // Reads fail while the database is away.
    loops = new Loops(random, () => void failures++)
    loops.start(READERS, pauseMs, () => reads.readAny(hasMemory))
  },
  async stop() {
    await loops.stop()
    const all = { reads: reads.take(), queries, failures }
    queries = 0
    failures = 0
    return all
  },
  async readAll() {
    const before = queries
    return { reads: await reads.readAll(hasMemory), queries: queries - before }
  },
})
export type Reading = typeof methods
