import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Defect } from '../defects.ts'
import type { BenchValkey } from '../bench/built.ts'
import { startProcess, type Process } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { AUCTION } from './auction.ts'
import { lotOrder } from './page.ts'
import type { Variant } from './variant.ts'
import { countStale, type Written, type WrittenBid } from './count-stale.ts'
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

/** A process reads lists all the time, while others write bids and rename bidders, and are killed. */
export async function measureStaleness(
  { name }: Variant,
  { databaseUrl, prisma, valkey }: StalenessServers,
  { kills, spellMs }: StalenessEffort,
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
  const env = { DATABASE_URL: databaseUrl, VALKEY_URL: valkey.url }
  const start = <Methods extends Reading | Writing>(file: string): Promise<Process<Methods>> =>
    startProcess<Methods>(join(import.meta.dirname, file), { args: defect ? [name, defect] : [name], env })
  const [reader, ...writers] = await Promise.all([
    start<Reading>('read-process.ts'),
    ...Array.from({ length: kills + 1 }, () => start<Writing>('write-process.ts')),
  ])
  const written: Written[] = []
  let next = LOWEST
  try {
    await reader.call('start', lotIds)
    for (const [index, writer] of writers.entries()) {
      written.push(...(await writer.call('write', { lotIds, ms: spellMs, from: next })))
      next = Math.max(next, ...written.map((write) => ('amount' in write ? write.amount : write.number))) + 1
      if (index === kills) break
      written.push(await kill(writer, prisma, lotIds[index % LOTS]!, next++))
      await sleep(AFTER_KILL_MS)
    }
    const reads = await reader.call('stop')
    return { name, reads: reads.length, writes: written.length, kills, ...countStale(reads, written) }
  } finally {
    await Promise.all([reader, ...writers].map((process) => process.stop()))
    await prisma.auctionBid.deleteMany({ where: { amount: { gte: LOWEST } } })
    await prisma.user.updateMany({ data: { displayName: 'A bidder' } })
  }
}

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
