import type { PrismaClient } from '#prisma/client/client.js'
import type { AuctionRows } from './auction-rows.js'

/** Long enough for thousands of rows on a slow disk; Prisma's own limit of five seconds is meant for requests. */
const TIMEOUT_MS = 120_000

/**
 * Makes the file's auction in the database what the file says it is, all or nothing: writing twice changes nothing.
 * Bids that others have placed on its lots since go away, for the file's prices know nothing of them: returns their ids.
 */
export async function writeAuction(prisma: PrismaClient, rows: AuctionRows): Promise<string[]> {
  const lotIds = rows.auctionItems.map(({ id }) => id)
  const bidIds = rows.auctionBids.map(({ id }) => id)
  return prisma.$transaction(
    async (tx) => {
      const { fundraiser: row } = rows
      await tx.fundraiser.upsert({ where: { id: row.id }, create: row, update: row })
      await tx.user.createMany({ data: rows.users, skipDuplicates: true })
      for (const row of rows.items) await tx.item.upsert({ where: { id: row.id }, create: row, update: row })
      for (const row of rows.auctionItems) {
        await tx.auctionItem.upsert({ where: { id: row.id }, create: row, update: row })
      }
      const others = await tx.auctionBid.findMany({
        where: { auctionItemId: { in: lotIds }, id: { notIn: bidIds } },
        select: { id: true },
      })
      await tx.auctionBid.deleteMany({ where: { auctionItemId: { in: lotIds } } })
      await tx.auctionBid.createMany({ data: rows.auctionBids })
      return others.map(({ id }) => id)
    },
    { timeout: TIMEOUT_MS, maxWait: 10_000 },
  )
}
