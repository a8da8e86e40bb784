import type { AuctionItem, Prisma } from '#prisma/client/client.js'
import { ClientError } from '../infrastructure/graphql/errors.js'

/** Reads an item from the database, and lets no other transaction change it until this one ends. */
export async function lockItem(tx: Prisma.TransactionClient, id: string): Promise<AuctionItem> {
  // Prisma's query language has no FOR UPDATE, and its raw queries give no Decimals: so lock first, then read.
  await tx.$queryRaw`SELECT 1 FROM "AuctionItem" WHERE "id" = ${id} FOR UPDATE`
  const item = await tx.auctionItem.findUnique({ where: { id } })
  if (!item) throw new ClientError('NOT_FOUND', `No auction item ${id}`)
  return item
}
