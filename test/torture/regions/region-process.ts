/** A process of the second region, which loads rows from the standby, and writes to the primary. */
import type { PrismaClient } from '#prisma/client/client.js'
import { PRIMARY } from '../application.ts'
import { serveParent } from '../bench/harness.ts'
import { openPool } from '../databases/open-pool.ts'
import { openProcessDatabase } from '../databases/open-process-database.ts'
import type { Defect } from '../defects.ts'
import { CITIES } from '../follow/judge-reads.ts'
import type { ReaderSettings } from '../follow/read-process.ts'
import { openReading } from '../follow/reading.ts'
import {
  LOOPS,
  type Pace,
  recordWrites,
  type WriterSettings,
  type WritingOptions,
} from '../follow/recorded-writes.ts'
import { settingsOf } from '../process.ts'
import { COMMON_FIELDS } from '../users.ts'
import { type Query, textOf } from '../watched-prisma.ts'

export interface RegionSettings extends ReaderSettings, WriterSettings {
  readonly primaryUrl: string
  readonly fenceMs: number
}

/** Of the transactions of a process, the part that the library does not see: those of the first region. */
const FOREIGN = 0.3

const { databaseUrl, fenceMs, kind, number, of, primaryUrl, valkeyUrl } = settingsOf<RegionSettings>()
const [standby, primary] = await Promise.all([databaseUrl, primaryUrl].map(openProcessDatabase))

let defect: Defect | undefined
const counts = { all: 0, ofPrimary: 0 }
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

function countAtPrimary(sql: string): void {
  if (!isLoad(sql)) return
  counts.all++
  counts.ofPrimary++
}

const { application, methods, random, readCity, readRows, record } = await openReading({
  kind,
  valkeyUrl,
  readsLists: true,
  open: () => standby!.openPrisma(() => void counts.all++, sendToStandby),
  openPrimary: () => primary!.openPrisma(countAtPrimary, sendToPrimary),
  consistency: { mode: 'strict', fenceMs },
  counts,
})
const prisma = application.get<PrismaClient>(PRIMARY)
const plain = primary!.openWriter(LOOPS)

/** By the library, or as a process of the first region. */
const commit: WritingOptions['commit'] = async (users, replaces) => {
  if (random.chance(FOREIGN)) return { commitMs: await plain.commit(users, replaces) }
  const at = performance.now()
  const { user } = prisma
  if (replaces)
    await prisma.$transaction([
      user.deleteMany({ where: { id: { in: users.map(({ id }) => id) } } }),
      user.createMany({ data: users.map((one) => ({ ...one, ...COMMON_FIELDS })) }),
    ])
  else await prisma.$transaction(users.map(({ id, ...data }) => user.update({ where: { id }, data })))
  // A fence that has expired before the COMMIT promises nothing.
  return { isPromised: performance.now() - at < fenceMs }
}

const writing = recordWrites({
  number,
  of,
  commit,
  versionOf: (row) => plain.versionOf(row),
  /** As a session does: it reads what it has written, or a list in which that is, or no longer is. */
  async afterwards(rows) {
    const city = (rows[0]! + random.integer(0, 1)) % CITIES
    await (random.chance(0.5) ? readRows(rows) : readCity(city)).then(record, () => {})
  },
})

const regionMethods = serveParent({
  ...methods,
  ...writing,
  inflict(added: Defect) {
    methods.inflict(added)
    defect = added
  },
  mend() {
    methods.mend()
    defect = undefined
  },
  start(pace: Pace) {
    writing.start(pace)
    methods.start(pace)
  },
})
export type RegionProcess = typeof regionMethods
