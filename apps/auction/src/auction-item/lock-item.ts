import type { AuctionItem, Prisma } from '#prisma/client/client.js'
import type { Database } from '#prisma/database.js'
import { ClientError } from '../infrastructure/graphql/errors.js'

/** Reads an item and locks its row until the transaction ends. */
export async function lockItem(
  tx: Prisma.TransactionClient,
  { kind }: Pick<Database, 'kind'>,
  id: string,
): Promise<AuctionItem> {
  // Two queries, because Prisma's query API has no FOR UPDATE and raw queries return no Decimals.
  await lockers[kind](tx, id)
  const item = await tx.auctionItem.findUnique({ where: { id } })
  if (!item) throw new ClientError('NOT_FOUND', `No auction item ${id}`)
  return item
}

type Locker = (tx: Prisma.TransactionClient, id: string) => Promise<unknown>

const lockInPostgres: Locker = (tx, id) =>
  tx.$queryRaw`SELECT 1 FROM "AuctionItem" WHERE "id" = ${id} FOR UPDATE`

const lockers: Readonly<Record<Database['kind'], Locker>> = {
  postgres: lockInPostgres,
  embedded: lockInPostgres,
  mysql: (tx, id) => tx.$queryRaw`SELECT 1 FROM AuctionItem WHERE id = ${id} FOR UPDATE`,
  // It has one lock, which any write takes.
  sqlite: (tx) => tx.$executeRaw`DELETE FROM "AuctionItem" WHERE 0`,
}
