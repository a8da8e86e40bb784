import type { AuctionBid, AuctionItem, PrismaClient } from '#prisma/client/client.js'
import { buildBids, withBids } from '#prisma/demo/bids.js'
import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { DEMO_FUNDRAISER_ID } from '#prisma/demo/fundraiser.js'
import { createRandom } from '#prisma/demo/random.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import { HIGHEST } from './page.ts'

/** The auction of the page. */
export const AUCTION = DEMO_FUNDRAISER_ID

/** Each lot has at least so many more bids than a list shows. */
const BEYOND = 2
/** Part of the bids that are as high as the one before: sealed bids may be. */
const EQUAL = 0.2

/** Writes the rows of the demo, whose lots have up to nine bids, and further bids on each of them. */
export async function seedAuction(prisma: PrismaClient): Promise<void> {
  await seedDemo(prisma)
  await prisma.auctionBid.createMany({ data: buildFurtherBids() })
}

/** The same in every run. */
export function buildFurtherBids(): AuctionBid[] {
  const { auctionItems, auctionBids, users, guestUsers } = buildDemoRows()
  const random = createRandom('model-cache bench lists')
  const before = Map.groupBy(auctionBids, ({ auctionItemId }) => auctionItemId)
  return auctionItems.flatMap((lot) => {
    const further: AuctionBid[] = []
    const existing = before.get(lot.id)?.length ?? 0
    let current: AuctionItem = lot
    while (existing + further.length < HIGHEST + BEYOND) {
      const bids = buildBids(random, current, users, guestUsers)
      current = withBids(current, bids)
      further.push(...bids)
    }
    return further.map((bid, index) => {
      const previous = further[index - 1]
      return previous && random.chance(EQUAL) ? { ...bid, amount: previous.amount } : bid
    })
  })
}
