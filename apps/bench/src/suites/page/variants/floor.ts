import type { AuctionBid, AuctionItem, User } from '#prisma/client/client.js'
import type { Head, PageEnvironment, PageRows } from '../page-rows.ts'
import { bidsOf, lotsOf } from './load.ts'
import { headSelect } from '../page-rows.ts'

/** All rows in the memory of the process, as the database returned them: what is left is the application itself. */
export async function openFloor({ prisma }: PageEnvironment): Promise<PageRows> {
  const byId = <Row extends { id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]))
  const heads: ReadonlyMap<string, Head> = byId(await prisma.fundraiser.findMany({ select: headSelect }))
  const users: ReadonlyMap<string, User> = byId(await prisma.user.findMany())
  const groups = async <Row>(
    ids: readonly string[],
    load: (ids: readonly string[]) => Promise<Row[][]>,
  ): Promise<ReadonlyMap<string, Row[]>> => {
    const loaded = await load(ids)
    return new Map(ids.map((id, index) => [id, loaded[index]!]))
  }
  const lots = await groups<AuctionItem>([...heads.keys()], (ids) => lotsOf(prisma, ids))
  const lotIds = [...lots.values()].flat().map(({ id }) => id)
  const bids = await groups<AuctionBid>(lotIds, (ids) => bidsOf(prisma, ids))
  return {
    head: (id) => heads.get(id) ?? null,
    lots: ({ id }) => lots.get(id)!,
    bids: ({ id }) => bids.get(id)!,
    bidder: ({ bidderId }) => users.get(bidderId) ?? null,
  }
}
