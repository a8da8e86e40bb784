import type { PrismaClient } from '#prisma/client/client.js'
import { createMissing } from '../create-missing.js'
import type { Database } from '../database.js'
import type { AuctionRows } from './auction-rows.js'

/** Enough for thousands of rows on a slow disk. Prisma's default of five seconds is not. */
const TIMEOUT_MS = 120_000

/**
 * Replaces the auction in the database with that of the file, in one transaction. Idempotent. Removes bids that are not in
 * the file, because they contradict its prices.
 */
export async function writeAuction(
  prisma: PrismaClient,
  rows: AuctionRows,
  kind: Database['kind'],
): Promise<void> {
  const lotIds = rows.auctionItems.map(({ id }) => id)
  await prisma.$transaction(
    async (tx) => {
      const { fundraiser: row } = rows
      await tx.fundraiser.upsert({ where: { id: row.id }, create: row, update: row })
      await createMissing(tx.user, rows.users, kind)
      for (const row of rows.items) await tx.item.upsert({ where: { id: row.id }, create: row, update: row })
      for (const row of rows.auctionItems) {
        await tx.auctionItem.upsert({ where: { id: row.id }, create: row, update: row })
      }
      await tx.auctionBid.deleteMany({ where: { auctionItemId: { in: lotIds } } })
      await tx.auctionBid.createMany({ data: rows.auctionBids })
    },
    { timeout: TIMEOUT_MS, maxWait: 10_000 },
  )
}
