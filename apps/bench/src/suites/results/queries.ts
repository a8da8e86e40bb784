import type { PrismaClient } from '#prisma/client/client.js'

/** A query of the application, whose result shows the last write. */
export interface Query {
  /** Of its result in a cache of the others. */
  readonly key: string
  /** The models that it reads, as tags. */
  readonly models: readonly string[]
  readonly run: (prisma: PrismaClient) => Promise<unknown>
  /** The writes that a result shows, of the models that it reads. */
  readonly versionsOf: (result: unknown) => Partial<Versions>
}

/** The last write to a row of each model. */
export interface Versions {
  readonly AuctionItem: number
  readonly AuctionBid: number
}

/** The rows that writes change: in all results. */
export interface Marked {
  readonly lotId: string
  readonly lotName: string
  readonly bidId: string
  readonly bidderId: string
}

/** Bids of one bidder. */
export const HISTORY = 2_000

/** Above what other rows have. */
const FIRST_VERSION = 1_000_000

type Lots = readonly { readonly id: string; readonly sortOrder: number }[]

/** Adds a bidder with a history, and returns the rows that writes change. */
export async function markRows(prisma: PrismaClient): Promise<Marked> {
  const [lot, bid] = await Promise.all([
    prisma.auctionItem.findFirstOrThrow({ orderBy: { id: 'asc' } }),
    prisma.auctionBid.findFirstOrThrow({ orderBy: { id: 'asc' } }),
  ])
  const { bidderId } = bid
  const { id: _, ...fields } = bid
  const others = Array.from({ length: HISTORY }, (_unused, i) => ({
    ...fields,
    amount: i,
    placedAt: new Date(Date.UTC(2026, 0, 1) + i * 60_000),
  }))
  await prisma.auctionBid.createMany({ data: others })
  const marked = { lotId: lot.id, lotName: lot.name, bidId: bid.id, bidderId }
  await prisma.auctionBid.update({ where: { id: bid.id }, data: { auctionItemId: lot.id } })
  await writeVersion(prisma, marked, 'AuctionItem', 0)
  await writeVersion(prisma, marked, 'AuctionBid', 0)
  return marked
}

/** One write of the application. */
export async function writeVersion(
  { auctionBid, auctionItem }: PrismaClient,
  { bidId, lotId }: Marked,
  model: keyof Versions,
  version: number,
): Promise<void> {
  const value = FIRST_VERSION + version
  if (model === 'AuctionBid') await auctionBid.update({ where: { id: bidId }, data: { amount: value } })
  else await auctionItem.update({ where: { id: lotId }, data: { sortOrder: value } })
}

/** Of ten reads, six are searches, three are aggregates, and one is a history with the lots of its bids. */
export function queriesOf({ bidId, bidderId, lotId, lotName }: Marked): readonly Query[] {
  const inLots = (lots: unknown): number =>
    (lots as Lots).find(({ id }) => id === lotId)!.sortOrder - FIRST_VERSION
  const terms = Array.from({ length: Math.min(18, lotName.length - 2) }, (_, i) => lotName.slice(i, i + 3))
  const searches = terms.map((term): Query => ({
    key: `search:${term}`,
    models: ['AuctionItem'],
    run: (prisma) =>
      prisma.auctionItem.findMany({
        where: { name: { contains: term, mode: 'insensitive' } },
        orderBy: { lot: 'asc' },
      }),
    versionsOf: (lots) => ({ AuctionItem: inLots(lots) }),
  }))
  const aggregates = [1, 10, 100].map((least): Query => ({
    key: `aggregate:${least}`,
    models: ['AuctionBid'],
    run: (prisma) =>
      prisma.auctionBid.aggregate({
        where: { amount: { gte: least } },
        _max: { amount: true },
        _avg: { amount: true },
        _count: { _all: true },
      }),
    versionsOf(result) {
      const { _max } = result as { readonly _max: { readonly amount: unknown } }
      return { AuctionBid: Number(_max.amount) - FIRST_VERSION }
    },
  }))
  const history: Query = {
    key: 'history',
    models: ['AuctionBid', 'AuctionItem'],
    run: (prisma) =>
      prisma.auctionBid.findMany({
        where: { bidderId },
        orderBy: [{ placedAt: 'desc' }, { id: 'asc' }],
        include: { auctionItem: { select: { id: true, sortOrder: true } } },
      }),
    versionsOf(result) {
      type Bids = readonly {
        readonly id: string
        readonly amount: unknown
        readonly auctionItem: Lots[number]
      }[]
      const { amount, auctionItem } = (result as Bids).find(({ id }) => id === bidId)!
      return { AuctionBid: Number(amount) - FIRST_VERSION, AuctionItem: inLots([auctionItem]) }
    },
  }
  return Array.from({ length: 10 * terms.length }, (_, i) => {
    const place = i % 10
    if (place === 9) return history
    return place % 3 === 2 ? aggregates[i % aggregates.length]! : searches[i % searches.length]!
  })
}
