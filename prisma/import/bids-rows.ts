import { Prisma } from '#prisma/client/client.js'
import type { AuctionRows } from './auction-rows.js'
import type { BidLine } from './bid-line.js'
import { importedFundraiser, importedUser } from './imported-rows.js'
import { uuidFrom } from './uuid-from.js'

/** Assumed opening of the auctions. The file has only days since the opening. */
const OPENED = new Date('2004-03-01T00:00:00.000Z')
const DAY_MS = 86_400_000

/** Assumed minimum increment, which the file does not have. */
const INCREMENT = 1

/** Converts the valid lines of a bids file to rows, with one lot per auction. */
export function bidRows(lines: BidLine[]): AuctionRows {
  const fundraiserId = uuidFrom('bids file')
  const auctions = groupByAuction(lines)
  const longest = Math.max(...lines.map((line) => Number(line.duration_days)))
  const ratings = new Map(lines.map((line) => [line.bidder, Number(line.bidder_rating)]))

  return {
    fundraiser: importedFundraiser({
      id: fundraiserId,
      slug: 'auction-bids',
      name: 'Auctions of a bids file',
      startsAt: OPENED,
      endsAt: after(longest),
    }),
    users: [...ratings].map(([bidder, rating]) => importedUser(userId(bidder), bidder, OPENED, rating)),
    items: auctions.map(([line]) => ({
      id: uuidFrom('bids item', line!.auction_id),
      sku: `bids-${line!.auction_id}`,
      title: line!.item,
      description: '',
      category: line!.item,
      condition: 'as described',
      donorName: 'Not named in the file',
      fairMarketValue: line!.final_price,
      createdAt: OPENED,
      updatedAt: OPENED,
    })),
    auctionItems: auctions.map((bids, index) => toAuctionItem(bids, index, fundraiserId)),
    auctionBids: auctions.flatMap((bids) =>
      bids.map((line) => ({
        id: bidId(line),
        auctionItemId: lotId(line),
        bidderId: userId(line.bidder),
        amount: line.bid,
        minimumNextBid: nextBid(line),
        status: line === highest(bids) ? 'WINNING' : 'OUTBID',
        source: 'file',
        placedAt: after(Number(line.bid_time_days)),
        createdAt: after(Number(line.bid_time_days)),
      })),
    ),
  }
}

function toAuctionItem(
  bids: BidLine[],
  index: number,
  fundraiserId: string,
): AuctionRows['auctionItems'][number] {
  const winning = highest(bids)
  const lastBidAt = after(Math.max(...bids.map((line) => Number(line.bid_time_days))))
  return {
    id: lotId(winning),
    fundraiserId,
    itemId: uuidFrom('bids item', winning.auction_id),
    lot: winning.auction_id,
    name: `${winning.item} (auction ${winning.auction_id})`,
    description: '',
    itemType: 'bidding',
    category: winning.item,
    sortOrder: index + 1,
    images: [],
    donorName: 'Not named in the file',
    fairMarketValue: winning.final_price,
    startingPrice: winning.opening_bid,
    minimumIncrement: INCREMENT,
    minimumNextBid: nextBid(winning),
    status: 'CLOSED',
    startsAt: OPENED,
    endsAt: after(Number(winning.duration_days)),
    currentBid: winning.bid,
    currentBidId: bidId(winning),
    currentBidderId: userId(winning.bidder),
    outbidBidderIds: [...new Set(bids.map(({ bidder }) => userId(bidder)))].filter(
      (id) => id !== userId(winning.bidder),
    ),
    bidCount: bids.length,
    lastBidAt,
    createdAt: OPENED,
    updatedAt: lastBidAt,
  }
}

function groupByAuction(lines: BidLine[]): BidLine[][] {
  const auctions = new Map<string, BidLine[]>()
  for (const line of lines) {
    const bids = auctions.get(line.auction_id)
    if (bids) bids.push(line)
    else auctions.set(line.auction_id, [line])
  }
  return [...auctions.values()]
}

/** Of equal bids, the earlier one wins. */
function highest(bids: BidLine[]): BidLine {
  return bids.reduce((best, line) => {
    const ahead = Number(line.bid) - Number(best.bid)
    return ahead > 0 || (ahead === 0 && Number(line.bid_time_days) < Number(best.bid_time_days)) ? line : best
  })
}

const after = (elapsed: number): Date => new Date(OPENED.getTime() + Math.round(elapsed * DAY_MS))
const lotId = (line: BidLine): string => uuidFrom('bids lot', line.auction_id)
const userId = (bidder: string): string => uuidFrom('bids bidder', bidder)
export const bidId = (line: BidLine): string =>
  uuidFrom('bid', line.auction_id, line.bidder, line.bid_time_days)
const nextBid = (line: BidLine): Prisma.Decimal => new Prisma.Decimal(line.bid).plus(INCREMENT)
