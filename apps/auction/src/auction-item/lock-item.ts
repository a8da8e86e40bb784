import type { AuctionItem, Prisma } from '#prisma/client/client.js'
import { ClientError } from '../infrastructure/graphql/errors.js'

/** Reads an item and locks its row until the transaction ends. */
export async function lockItem(tx: Prisma.TransactionClient, id: string): Promise<AuctionItem> {
  // Two queries, because Prisma's query API has no FOR UPDATE and raw queries return no Decimals.
  await tx.$queryRaw`SELECT 1 FROM "AuctionItem" WHERE "id" = ${id} FOR UPDATE`
  const item = await tx.auctionItem.findUnique({ where: { id } })
  if (!item) throw new ClientError('NOT_FOUND', `No auction item ${id}`)
  return item
}
