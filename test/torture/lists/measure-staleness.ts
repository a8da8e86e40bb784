import { setTimeout as sleep } from 'node:timers/promises'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Defect } from '../defects.ts'
import type { BenchValkey } from '../bench/built.ts'
import type { Process } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { untilNoticed } from '../define-torture.ts'
import { AUCTION } from './auction.ts'
import { lotOrder } from './page.ts'
import type { ProcessSettings, Variant } from './variant.ts'
import { start } from '../process.ts'
import { numbers } from '../users.ts'
import { countStale, type ReadList, type Written, type WrittenBid } from './count-stale.ts'
import type { Reading } from './read-process.ts'
import type { Writing } from './write-process.ts'

export interface StalenessEffort {
  /** Writers that are killed, one after each spell. */
  readonly kills: number
  /** Duration of a spell of writes. */
  readonly spellMs: number
}

export interface StalenessServers {
  readonly databaseUrl: string
  /** A plain client of it. */
  readonly prisma: PrismaClient
  readonly valkey: BenchValkey
}

/** Few, so that reads often load what is being written. */
const LOTS = 8
/** Above all bids of the demo. */
const LOWEST = 1_000_000
/** Time in which lists are read that a killed writer has left behind. */
const AFTER_KILL_MS = 300
const REHEARSED_MS = 500

/** A process reads lists all the time, while others write bids and rename bidders, and are killed. */
export async function measureStaleness(
  variant: Variant,
  servers: StalenessServers,
  { kills, spellMs }: StalenessEffort,
) {
  const { lotIds, prisma, reader, writers, write, written, close } = await open(variant, servers, kills + 1)
  try {
    await reader.call('start', lotIds)
    for (const [index, writer] of writers.entries()) {
      await write(writer, spellMs)
      if (index === kills) break
      written.push(await kill(writer, prisma, lotIds[index % LOTS]!, highestOf(written) + 1))
      await sleep(AFTER_KILL_MS)
    }
    const reads = await reader.call('stop')
    const { name } = variant
    return { name, reads: reads.length, writes: written.length, kills, ...countStale(reads, written) }
  } finally {
    await close()
  }
}

/** The same processes with a defect, until a stale read is counted. */
export async function rehearseDefect(
  variant: Variant,
  servers: StalenessServers,
  defect: Defect,
): Promise<number | undefined> {
  const { lotIds, reader, writers, write, written, close } = await open(variant, servers, 1, defect)
  try {
    const reads: ReadList[] = []
    return await untilNoticed(async () => {
      await reader.call('start', lotIds)
      await write(writers[0]!, REHEARSED_MS)
      reads.push(...(await reader.call('stop')))
      return countStale(reads, written).staleReads > 0
    })
  } finally {
    await close()
  }
}

/** A reader and writers of few lots. */
async function open(
  { name }: Variant,
  { databaseUrl, prisma, valkey }: StalenessServers,
  count: number,
  defect?: Defect,
) {
  await valkey.client.flushdb()
  const lots = await prisma.auctionItem.findMany({
    where: { fundraiserId: AUCTION },
    orderBy: [...lotOrder],
    take: LOTS,
    select: { id: true },
  })
  const lotIds = lots.map(({ id }) => id)
  const settings: ProcessSettings = { variant: name, databaseUrl, valkeyUrl: valkey.url, defect }
  const [reader, ...writers] = await Promise.all([
    start<Reading>(import.meta.dirname, 'read-process.ts', settings),
    ...numbers(count).map(() => start<Writing>(import.meta.dirname, 'write-process.ts', settings)),
  ])
  const written: Written[] = []
  return {
    lotIds,
    prisma,
    reader,
    writers,
    written,
    async write(writer: Process<Writing>, ms: number): Promise<void> {
      written.push(...(await writer.call('write', { lotIds, ms, from: highestOf(written) + 1 })))
    },
    async close(): Promise<void> {
      await Promise.all([reader, ...writers].map((process) => process.stop()))
      await prisma.auctionBid.deleteMany({ where: { amount: { gte: LOWEST } } })
      await prisma.user.updateMany({ data: { displayName: 'A bidder' } })
    },
  }
}

/** Of all bids, and numbers in names. */
const highestOf = (written: readonly Written[]): number =>
  Math.max(LOWEST, ...written.map((write) => ('amount' in write ? write.amount : write.number)))

/** @throws when the writer is not killed, or not after its COMMIT */
async function kill(
  writer: Process<Writing>,
  prisma: PrismaClient,
  lotId: string,
  amount: number,
): Promise<WrittenBid> {
  const end = await writer.call('die', { lotId, amount }).then(() => 'It has written.', String)
  const bids = await prisma.auctionBid.count({ where: { auctionItemId: lotId, amount } })
  if (end.includes('SIGKILL') && bids === 1) return { kind: 'killed', lotId, amount, at: machineTime() }
  throw new Error(`A writer was not killed right after its COMMIT, and has left ${bids} bids: ${end}`)
}
