import type { AuctionBid, AuctionItem, Prisma } from '#prisma/client/client.js'

/** Users who read the page in the same tick. */
export const USERS = 50
/** Of the bids of a lot. */
export const HIGHEST = 10

/** What a cache has of the page: all, nothing, or all but every second list; `turn`: all, and users read in turn. */
export type State = 'hit' | 'turn' | 'miss' | 'half'
export const STATES: readonly State[] = ['hit', 'turn', 'miss', 'half']

/** In the order of the catalogue. */
export const lotOrder = [
  { sortOrder: 'asc' },
  { id: 'asc' },
] as const satisfies Prisma.AuctionItemOrderByWithRelationInput[]

/** Highest first; of equal ones the oldest. */
export const bidOrder = [
  { amount: 'desc' },
  { placedAt: 'asc' },
  { id: 'asc' },
] as const satisfies Prisma.AuctionBidOrderByWithRelationInput[]

/** What is shown of a bidder. */
export const bidderSelect = { displayName: true } as const satisfies Prisma.UserSelect

export type BidWithBidder = AuctionBid & { readonly bidder: { readonly displayName: string } }

/** The {@link HIGHEST} bids of a lot in {@link bidOrder}, and the names of their bidders in the same order. */
export interface HighestBids {
  readonly bids: readonly AuctionBid[]
  readonly bidders: readonly string[]
}

export interface LotOnPage extends HighestBids {
  readonly lot: AuctionItem
}

/** All lots of the auction in {@link lotOrder}. */
export type Page = readonly LotOnPage[]

export const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)

/** Separates the names from a list that was loaded with its bidders. */
export const withNames = (bids: readonly BidWithBidder[]): HighestBids => ({
  bids,
  bidders: bids.map(({ bidder }) => bidder.displayName),
})

/** Reads the lots, then the lists of all of them. */
export async function readPage(
  lots: () => Promise<readonly AuctionItem[]>,
  highest: (lotIds: readonly string[]) => Promise<readonly HighestBids[]>,
): Promise<Page> {
  const rows = await lots()
  const lists = await highest(idsOf(rows))
  return rows.map((lot, index) => ({ lot, ...lists[index]! }))
}

/** Adds the names to lists of bids. @param namesOf reads those of different users, in the order of their ids */
export async function addNames(
  lists: readonly (readonly AuctionBid[])[],
  namesOf: (userIds: readonly string[]) => Promise<readonly string[]>,
): Promise<HighestBids[]> {
  const different = new Set<string>()
  for (const bids of lists) for (const { bidderId } of bids) different.add(bidderId)
  const userIds = [...different]
  const names = await namesOf(userIds)
  const byUser = new Map(userIds.map((id, index) => [id, names[index]!]))
  return lists.map((bids) => ({ bids, bidders: bids.map(({ bidderId }) => byUser.get(bidderId)!) }))
}

/** The page as JSON with sorted keys, in which dates and decimals differ from texts. */
export function describePage(page: Page): string {
  const plain = page.map(({ lot, bids, bidders }) => ({ lot, bids: bids.map(withoutBidder), bidders }))
  return JSON.stringify(plain, function (this: Record<string, unknown>, key, value: unknown) {
    const given = this[key]
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return value
    if (given instanceof Date) return { date: value }
    if ('toFixed' in given) return { decimal: value }
    return Object.fromEntries(Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}

function withoutBidder(bid: AuctionBid): AuctionBid {
  const { bidder: _, ...row } = bid as BidWithBidder
  return row
}
