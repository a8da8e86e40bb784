import type { AuctionBid, AuctionItem, PrismaClient, User } from '#prisma/client/client.js'
import { bidOrder, lotOrder } from '../page-rows.ts'

type Ids = readonly string[]

/** One query for many parents: the batch functions of DataLoader. Results are in the order of the ids. */
export const lotsOf = async (prisma: PrismaClient, ids: Ids): Promise<AuctionItem[][]> =>
  grouped(
    ids,
    await prisma.auctionItem.findMany({ where: { fundraiserId: { in: [...ids] } }, orderBy: lotOrder }),
    ({ fundraiserId }) => fundraiserId,
  )

export const bidsOf = async (prisma: PrismaClient, ids: Ids): Promise<AuctionBid[][]> =>
  grouped(
    ids,
    await prisma.auctionBid.findMany({ where: { auctionItemId: { in: [...ids] } }, orderBy: [...bidOrder] }),
    ({ auctionItemId }) => auctionItemId,
  )

export async function usersOf(prisma: PrismaClient, ids: Ids): Promise<(User | null)[]> {
  const users = await prisma.user.findMany({ where: { id: { in: [...ids] } } })
  const byId = new Map(users.map((user) => [user.id, user]))
  return ids.map((id) => byId.get(id) ?? null)
}

function grouped<Row>(ids: Ids, rows: readonly Row[], parentOf: (row: Row) => string): Row[][] {
  const groups = new Map(ids.map((id) => [id, [] as Row[]]))
  for (const row of rows) groups.get(parentOf(row))!.push(row)
  return [...groups.values()]
}
