import DataLoader from 'dataloader'
import type { AuctionItem, PrismaClient } from '#prisma/client/client.js'
import { AUCTION } from '../auction.ts'
import {
  addNames,
  bidderSelect,
  bidOrder,
  HIGHEST,
  type HighestBids,
  lotOrder,
  readPage,
  withNames,
} from '../page.ts'
import type { OpenLists } from '../variant.ts'
import { bidsOf, lotsOf, namesOf } from './load.ts'

/** The relation as each lot includes it. */
const highestBids = {
  orderBy: [...bidOrder],
  take: HIGHEST,
  include: { bidder: { select: bidderSelect } },
}

/** One query of Prisma for all that a request reads. */
export const openInclude = (prisma: PrismaClient): OpenLists => ({
  async page() {
    const lots = await prisma.auctionItem.findMany({
      where: { fundraiserId: AUCTION },
      orderBy: [...lotOrder],
      include: { bids: highestBids },
    })
    return lots.map(({ bids, ...lot }) => ({ lot, ...withNames(bids) }))
  },
  async highest(lotIds) {
    const where = { id: { in: [...lotIds] } }
    const lots = await prisma.auctionItem.findMany({ where, select: { id: true, bids: highestBids } })
    const byLot = new Map(lots.map((lot) => [lot.id, lot.bids]))
    return lotIds.map((id) => withNames(byLot.get(id) ?? []))
  },
})

type MakeLoader = <Value>(
  load: (keys: readonly string[]) => Promise<readonly Value[]>,
) => DataLoader<string, Value>

function openLoaders(prisma: PrismaClient, make: MakeLoader) {
  // There is one auction.
  const lots = make(async (): Promise<AuctionItem[][]> => [await lotsOf(prisma)])
  const bids = make((lotIds) => bidsOf(prisma, lotIds))
  const names = make((ids) => namesOf(prisma, ids))

  const highest = async (lotIds: readonly string[]): Promise<HighestBids[]> =>
    addNames(await all(bids, lotIds), (userIds) => all(names, userIds))

  return {
    highest,
    page: () => readPage(() => lots.load(AUCTION), highest),
  }
}

const all = <Value>(loader: DataLoader<string, Value>, keys: readonly string[]): Promise<Value[]> =>
  Promise.all(keys.map((key) => loader.load(key)))

/** New loaders for each request, as their documentation asks for: they also keep its rows. */
export function openPerRequest(prisma: PrismaClient): OpenLists {
  const open = () => openLoaders(prisma, (load) => new DataLoader(load))
  return {
    page: () => open().page(),
    highest: (lotIds) => open().highest(lotIds),
  }
}

/** Loaders of all requests, which keep nothing beyond a batch. */
export const openPerTick = (prisma: PrismaClient): OpenLists =>
  openLoaders(prisma, (load) => {
    const loader: DataLoader<string, never> = new DataLoader((keys) => {
      loader.clearAll()
      return load(keys) as Promise<never[]>
    })
    return loader
  })
