/** The process that places bids as users of one variant do. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Prisma } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { serveParent } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { settingsOf } from '../process.ts'
import { openWatchedPrisma } from '../watched-prisma.ts'
import { nameOf, type WriteKind, type Written } from './count-stale.ts'
import type { ProcessSettings } from './variant.ts'
import { allVariants } from './variants.ts'

const WRITERS = 3
const PAUSE_MS = 20
/** Part of the writes that rename a bidder. */
const RENAMES = 0.25
/** Time that a transaction takes beside its statements. */
const LINGER_MS = 10

export interface Spell {
  readonly lotIds: readonly string[]
  readonly ms: number
  /** All bids are at least as high, and the numbers in names. */
  readonly from: number
}

const { databaseUrl, variant, ...environment } = settingsOf<ProcessSettings>()
const { open } = allVariants.find(({ name }) => name === variant)!
const random = createRandom('model-cache bench lists, writer')
let diesAtCommit = false
const plain = openWatchedPrisma(
  databaseUrl,
  () => {},
  async (sql) => {
    if (diesAtCommit && sql === 'COMMIT') process.kill(process.pid, 'SIGKILL')
  },
)
const opened = await open({ prisma: plain, ...environment })
const prisma = opened.writer ?? plain
const bidders = await prisma.user.findMany({ select: { id: true } })

const bidOn = (auctionItemId: string, amount: number): Prisma.AuctionBidUncheckedCreateInput => ({
  auctionItemId,
  bidderId: random.pick(bidders).id,
  amount,
  minimumNextBid: amount + 1,
  status: 'WINNING',
  source: 'web',
  placedAt: new Date(),
})

/** Bids on all of these lots or on none. */
const bidTogether = (lotIds: readonly string[], amounts: readonly number[]): Promise<void> =>
  prisma.$transaction(async (transaction) => {
    for (const [index, lotId] of lotIds.entries()) {
      await transaction.auctionBid.create({ data: bidOn(lotId, amounts[index]!) })
      await sleep(random.integer(0, LINGER_MS))
    }
  })

/** Gives a name to a bidder of this writer: others do not write it at the same time. */
async function rename(writer: number, number: number): Promise<Written> {
  const { id } = random.pick(bidders.filter((_, index) => index % WRITERS === writer))
  await prisma.user.update({ where: { id }, data: { displayName: nameOf(number) } })
  if (!opened.writer) await opened.endNames?.([id])
  return { kind: 'rename', bidderId: id, number, at: machineTime() }
}

/** Ends the lists as a careful writer does. */
async function endLists(lotIds: readonly string[]): Promise<void> {
  if (!opened.writer) await opened.endLists?.(lotIds)
}

const methods = serveParent({
  /** Places bids and renames bidders for a time. Resolves when all writes have returned. */
  async write({ lotIds, ms, from }: Spell) {
    const written: Written[] = []
    const until = machineTime() + ms
    let amount = from
    const placeBids = async (): Promise<void> => {
      const kind: WriteKind = random.chance(0.5) ? 'statement' : 'transaction'
      const lots = [...new Set([random.pick(lotIds), random.pick(lotIds)])].slice(
        0,
        kind === 'statement' ? 1 : 2,
      )
      const amounts = lots.map(() => amount++)
      if (kind === 'statement') await prisma.auctionBid.create({ data: bidOn(lots[0]!, amounts[0]!) })
      else await bidTogether(lots, amounts)
      await endLists(lots)
      const at = machineTime()
      written.push(...lots.map((lotId, index) => ({ kind, lotId, amount: amounts[index]!, at })))
    }
    const writeOn = async (_: unknown, writer: number): Promise<void> => {
      while (machineTime() < until) {
        if (random.chance(RENAMES)) written.push(await rename(writer, amount++))
        else await placeBids()
        await sleep(random.integer(0, PAUSE_MS))
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, writeOn))
    return written
  },
  /** Places a bid and dies as soon as the database has confirmed its COMMIT. */
  async die({ lotId, amount }: { readonly lotId: string; readonly amount: number }) {
    diesAtCommit = true
    await bidTogether([lotId], [amount])
    await endLists([lotId])
  },
})
export type Writing = typeof methods
