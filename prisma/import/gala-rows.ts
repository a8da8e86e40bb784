import type { AuctionRows } from './auction-rows.js'
import type { GalaLot } from './gala-lot.js'
import { importedFundraiser, importedUser } from './imported-rows.js'
import { uuidFrom } from './uuid-from.js'

/** Converts the valid lots of a gala to rows. */
export function galaRows(auction: string, lots: GalaLot[]): AuctionRows {
  const fundraiserId = uuidFrom('gala', auction)
  const bids = lots.flatMap(({ winningBids }) => winningBids)
  // The file has no dates, so the auction opens on the day of its first bid and stays open.
  const firstBid = bids.map(({ createdAt }) => createdAt).toSorted()[0] ?? '2000-01-01'
  const startsAt = new Date(`${firstBid.slice(0, 10)}T00:00:00Z`)
  const bidderIds = new Set(
    lots.flatMap((lot) => [...lot.winningBids.map((bid) => bid.bidderId), ...lot.outbidBidders]),
  )

  return {
    fundraiser: importedFundraiser({
      id: fundraiserId,
      slug: auction,
      name: `Auction ${auction}`,
      startsAt,
      endsAt: null,
    }),
    users: [...bidderIds].map((id) => importedUser(id, id, startsAt)),
    items: lots.map((lot) => ({
      id: uuidFrom('gala item', lot.id),
      sku: `${auction}-${lot.id}`,
      title: lot.name,
      description: '',
      category: lot.itemType,
      condition: 'as described',
      donorName: 'Not named in the file',
      fairMarketValue: String(lot.bidding.starting_price),
      createdAt: startsAt,
      updatedAt: startsAt,
    })),
    auctionItems: lots.map((lot) => toAuctionItem(lot, fundraiserId, startsAt)),
    auctionBids: lots.flatMap((lot) => {
      const winning = winningBid(lot)
      return lot.winningBids.map((bid) => ({
        id: bid.id,
        auctionItemId: lot.id,
        bidderId: bid.bidderId,
        amount: String(bid.amount),
        minimumNextBid: String(bid.minimumNextBid),
        status: bid === winning ? 'WINNING' : 'OUTBID',
        source: 'file',
        placedAt: new Date(bid.createdAt),
        createdAt: new Date(bid.createdAt),
      }))
    }),
  }
}

function toAuctionItem(
  lot: GalaLot,
  fundraiserId: string,
  startsAt: Date,
): AuctionRows['auctionItems'][number] {
  const { bidding } = lot
  const winning = winningBid(lot)
  return {
    id: lot.id,
    fundraiserId,
    itemId: uuidFrom('gala item', lot.id),
    lot: lot.lot,
    name: lot.name,
    description: '',
    itemType: lot.itemType,
    category: lot.itemType,
    label: lot.label,
    showLabel: lot.showLabel,
    sortOrder: lot.order,
    imageCover: lot.imageCover,
    images: lot.images.map((image) => ({
      image: image.image,
      preloadImage: image.preload_image,
      thumbnailImage: image.thumbnail_image,
      smallImage: image.small_image,
      mediumImage: image.medium_image,
    })),
    donorName: 'Not named in the file',
    fairMarketValue: String(bidding.starting_price),
    startingPrice: String(bidding.starting_price),
    minimumIncrement: String(bidding.minimum_increment),
    minimumNextBid: String(bidding.minimum_next_bid),
    reservePrice: bidding.reserve_price === null ? null : String(bidding.reserve_price),
    reservePriceEnabled: bidding.reserve_price_enabled,
    hideReservePrice: bidding.hide_reserve_price,
    hideUnitsAvailable: bidding.hide_units_available,
    hideBidder: bidding.hide_bidder,
    hidePrice: bidding.hide_price,
    hideStatusBadge: bidding.hide_status_badge,
    liveAuctionItem: bidding.live_auction_item,
    enableLiveAuction: bidding.enable_live_auction,
    sealedBidItem: bidding.sealed_bid_item,
    unitsAvailable: bidding.units_available,
    status: 'OPEN',
    startsAt,
    currentBid: winning ? String(winning.amount) : null,
    currentBidId: winning?.id ?? null,
    currentBidderId: winning?.bidderId ?? null,
    outbidBidderIds: lot.outbidBidders,
    bidCount: lot.winningBids.length,
    lastBidAt: winning ? new Date(winning.createdAt) : null,
    createdAt: startsAt,
    updatedAt: winning ? new Date(winning.createdAt) : startsAt,
  }
}

function winningBid({ winningBids }: GalaLot): GalaLot['winningBids'][number] | undefined {
  return winningBids.toSorted((left, right) => right.amount - left.amount)[0]
}
