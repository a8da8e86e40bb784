import type { PrismaClient } from '#prisma/client/client.js'
import { AUCTION } from '../auction.ts'
import { bidderSelect, bidOrder, HIGHEST, lotOrder, withNames } from '../page.ts'
import type { OpenLists } from '../variant.ts'

/** The relation as each lot includes it. */
const bids = {
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
      include: { bids },
    })
    return lots.map(({ bids, ...lot }) => ({ lot, ...withNames(bids) }))
  },
  async highest(lotIds) {
    const where = { id: { in: [...lotIds] } }
    const lots = await prisma.auctionItem.findMany({ where, select: { id: true, bids } })
    const byLot = new Map(lots.map((lot) => [lot.id, lot.bids]))
    return lotIds.map((id) => withNames(byLot.get(id) ?? []))
  },
})
