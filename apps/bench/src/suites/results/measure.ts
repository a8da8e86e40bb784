import { setTimeout as sleep } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '#prisma/client/client.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import type { Run } from '../../harness/comparison.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { say } from '../../harness/progress.ts'
import { rounded } from '../../harness/rounds.ts'
import { emptyStore, openPostgres, openValkey } from '../../harness/servers.ts'
import { HISTORY, type Marked, markRows, queriesOf, type Versions, writeVersion } from './queries.ts'
import type { Opened, ResultsVariant } from './variants.ts'

const READS_PER_SECOND = 50
const WRITES_PER_SECOND = [0, 1, 10]
const models = ['AuctionItem', 'AuctionBid'] as const
/** Until results are stored, and code is compiled. */
const WARM_UP_MS = 3_000

/** What a variant does at a rate of writes. */
export interface Measurement {
  readonly name: string
  readonly isPeer: boolean
  readonly writesPerSecond: number
  /** Milliseconds of processor time of the process for a read, with its part of the writes. */
  readonly cpuMs: number
  /** Statements that reads have sent, for a read. */
  readonly sql: number
  readonly reads: number
  /** Reads whose result did not show a write that had returned before the read was sent. */
  readonly stale: number
}

export async function measure({
  use,
  chosen,
  effort: { seconds },
}: Run<{ seconds: number }, ResultsVariant>) {
  const [valkey, postgres] = await Promise.all([use(openValkey()), use(openPostgres())])
  const plain = postgres.openPrisma()
  await use({ close: () => plain.$disconnect() })
  await seedDemo(plain)
  const marked = await markRows(plain)
  const measured: Measurement[] = []
  let last: Versions = { AuctionItem: 0, AuctionBid: 0 }
  for (const variant of chosen) {
    const client = new PrismaClient({
      adapter: new PrismaPg({ connectionString: postgres.url, max: 4 }),
      log: [{ emit: 'event', level: 'query' }],
    })
    let statements = 0
    client.$on('query', ({ query }) => void (query.startsWith('SELECT') && statements++))
    await emptyStore(valkey.client)
    const opened = await variant.open(client as PrismaClient, valkey.url)
    for (const writesPerSecond of WRITES_PER_SECOND) {
      say(`${variant.name}, ${writesPerSecond} writes/s`)
      const load = { opened, marked, writesPerSecond, statements: () => statements }
      last = (await run(load, last, WARM_UP_MS)).last
      const found = await run(load, last, 1_000 * seconds)
      last = found.last
      const { cpuMs, reads, sql, stale } = found
      measured.push({
        name: variant.name,
        isPeer: variant.isPeer ?? false,
        writesPerSecond,
        cpuMs,
        sql,
        reads,
        stale,
      })
    }
    await opened.close()
    await client.$disconnect()
  }
  const of = (name: string, writesPerSecond: number): Measurement | undefined =>
    measured.find((each) => each.name === name && each.writesPerSecond === writesPerSecond)
  const ours = measured.filter(({ name }) => name === 'model-cache')
  const ratio = (writesPerSecond: number): number => {
    const [own, plainly] = [of('model-cache', writesPerSecond), of('Prisma', writesPerSecond)]
    return own && plainly ? rounded(own.cpuMs / plainly.cpuMs) : 0
  }
  return {
    server: valkey.name,
    database: postgres.name,
    seconds,
    readsPerSecond: READS_PER_SECOND,
    history: HISTORY,
    measured,
    summary: {
      'stale results of model-cache': ours.reduce((sum, { stale }) => sum + stale, 0),
      'CPU of model-cache to that of Prisma, without writes': ratio(0),
      'CPU of model-cache to that of Prisma, 10 writes a second': ratio(10),
    },
  }
}

interface Load {
  readonly opened: Opened
  readonly marked: Marked
  readonly writesPerSecond: number
  /** Those that have been sent so far. */
  readonly statements: () => number
}

/** @param before the last writes */
async function run(
  { marked, opened, statements, writesPerSecond }: Load,
  before: Versions,
  ms: number,
): Promise<Omit<Measurement, 'name' | 'isPeer' | 'writesPerSecond'> & { readonly last: Versions }> {
  const { afterWrite, prisma, read } = opened
  const queries = queriesOf(marked)
  let committed = before
  let [reads, stale] = [0, 0]
  const reading: Promise<void>[] = []
  collectGarbage()
  const [cpu, sent, beganAtMs] = [cpuTime(), statements(), performance.now()]
  const elapsed = (): number => performance.now() - beganAtMs
  const write = async (model: keyof Versions): Promise<void> => {
    const version = committed[model] + 1
    await writeVersion(prisma, marked, model, version)
    await afterWrite?.([model])
    committed = { ...committed, [model]: version }
  }
  const writeAll = async (): Promise<void> => {
    for (let n = 1; elapsed() < ms; n++) {
      await write(n % 2 === 0 ? 'AuctionItem' : 'AuctionBid')
      await sleep(Math.max(0, (1_000 * n) / writesPerSecond - elapsed()))
    }
  }
  const writing = writesPerSecond > 0 ? writeAll() : Promise.resolve()
  for (; elapsed() < ms; reads++) {
    const query = queries[reads % queries.length]!
    const least = committed
    reading.push(
      read(query).then((result) => {
        const shown = query.versionsOf(result)
        if (models.some((model) => (shown[model] ?? Infinity) < least[model])) stale++
      }),
    )
    await sleep(Math.max(0, (1_000 * (reads + 1)) / READS_PER_SECOND - elapsed()))
  }
  await Promise.all([...reading, writing])
  return {
    last: committed,
    reads,
    stale,
    cpuMs: rounded((cpuTime() - cpu) / reads),
    sql: rounded((statements() - sent) / reads),
  }
}
