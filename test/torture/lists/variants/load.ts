import { Prisma } from '#prisma/client/client.js'
import type { AuctionBid, AuctionItem, PrismaClient } from '#prisma/client/client.js'
import { AUCTION } from '../auction.ts'
import { HIGHEST, lotOrder, type HighestBids } from '../page.ts'

type Ids = readonly string[]

export const lotsOf = (prisma: PrismaClient): Promise<AuctionItem[]> =>
  prisma.auctionItem.findMany({ where: { fundraiserId: AUCTION }, orderBy: [...lotOrder] })

/** By hand, as `findMany` cannot limit the rows of each parent: it would load all bids of the lots. */
const highestOf = (lotIds: Ids): Prisma.Sql => Prisma.sql`
  unnest(${[...lotIds]}::text[]) AS lot(id)
  CROSS JOIN LATERAL (
    SELECT * FROM "AuctionBid" WHERE "auctionItemId" = lot.id
    ORDER BY amount DESC, "placedAt", id LIMIT ${HIGHEST}
  ) bid`
/** LATERAL promises no order. */
const ordered = Prisma.sql`ORDER BY bid."auctionItemId", bid.amount DESC, bid."placedAt", bid.id`

/** The highest bids of many lots in one query. Results are in the order of the ids. */
export async function bidsOf(prisma: PrismaClient, lotIds: Ids): Promise<AuctionBid[][]> {
  const query = Prisma.sql`SELECT bid.* FROM ${highestOf(lotIds)} ${ordered}`
  const groups = new Map(lotIds.map((id) => [id, [] as AuctionBid[]]))
  for (const bid of await prisma.$queryRaw<AuctionBid[]>(query)) groups.get(bid.auctionItemId)!.push(bid)
  return lotIds.map((id) => groups.get(id)!)
}

/** The same with the names of the bidders, which the query joins. */
export async function highestBidsOf(prisma: PrismaClient, lotIds: Ids): Promise<HighestBids[]> {
  const query = Prisma.sql`
    SELECT bid.*, "User"."displayName" FROM ${highestOf(lotIds)}
    JOIN "User" ON "User".id = bid."bidderId" ${ordered}`
  const rows = await prisma.$queryRaw<(AuctionBid & { displayName: string })[]>(query)
  const groups = new Map(lotIds.map((id) => [id, { bids: [] as AuctionBid[], bidders: [] as string[] }]))
  for (const { displayName, ...bid } of rows) {
    const { bids, bidders } = groups.get(bid.auctionItemId)!
    bids.push(bid)
    bidders.push(displayName)
  }
  return lotIds.map((id) => groups.get(id)!)
}

/** Names of users. Results are in the order of the ids. */
export async function namesOf(prisma: PrismaClient, ids: Ids): Promise<string[]> {
  const users = await prisma.user.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, displayName: true },
  })
  const names = new Map(users.map(({ id, displayName }) => [id, displayName]))
  return ids.map((id) => names.get(id)!)
}
