import { createRandom } from '#prisma/demo/random.js'
import { buildBids, withBids } from '#prisma/demo/bids.js'
import { buildFundraiser } from '#prisma/demo/fundraiser.js'
import { buildAuctionItem, buildItem } from '#prisma/demo/lots.js'
import { buildGuestUser, buildUser } from '#prisma/demo/people.js'
import type { PrismaClient } from '#prisma/client/client.js'

export const LOTS_PER_REPORT = 20

/** Fills an empty database with fundraisers, lots and bids, the same in every run. */
export async function seedReports(prisma: PrismaClient, reports: number) {
  const random = createRandom('model-cache bench ladder')
  const many = <Row>(count: number, build: (index: number) => Row): Row[] =>
    Array.from({ length: count }, (_, index) => build(index))
  const users = many(60, (index) => buildUser(random, index))
  const guests = many(20, (index) => buildGuestUser(random, index))
  const items = many(LOTS_PER_REPORT, (index) => buildItem(random, index))
  const fundraisers = many(reports, (index) => {
    const id = random.uuid()
    return { ...buildFundraiser(random), id, slug: `gala-${index}` }
  })
  const auctions = fundraisers.flatMap(({ id }) =>
    items.map((item, index) => {
      const lot = buildAuctionItem(random, index, item, id)
      const bids = buildBids(random, lot, users, guests)
      return { lot: withBids(lot, bids), bids }
    }),
  )
  const bids = auctions.flatMap((auction) => auction.bids)
  await prisma.user.createMany({ data: users })
  await prisma.guestUser.createMany({ data: guests })
  await prisma.item.createMany({ data: items })
  // Prisma returns `null` for a Json column, but does not take it; none is null here.
  await prisma.fundraiser.createMany({ data: fundraisers as never })
  await prisma.auctionItem.createMany({ data: auctions.map(({ lot }) => lot) as never })
  await prisma.auctionBid.createMany({ data: bids })
  await prisma.$executeRaw`ANALYZE`
  return { ids: fundraisers.map(({ id }) => id), bids: bids.length }
}
