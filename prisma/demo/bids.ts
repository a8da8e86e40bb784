import type { AuctionBid, AuctionItem, GuestUser, User } from '#prisma/client/client.js'
import type { Random } from './random.js'
import { AUCTION_OPENED, LAST_BID } from './times.js'

/** Builds the bids of a lot, oldest first, with rising amounts. A bid is about 330 bytes as JSON. */
export function buildBids(
  random: Random,
  lot: AuctionItem,
  users: User[],
  guests: GuestUser[],
): AuctionBid[] {
  const count = random.integer(0, 9)
  const times = Array.from({ length: count }, () => random.date(AUCTION_OPENED, LAST_BID))
  times.sort((left, right) => left.getTime() - right.getTime())

  let minimum = lot.minimumNextBid
  return times.map((placedAt, index) => {
    const amount = minimum.plus(lot.minimumIncrement.times(random.integer(0, 3)))
    minimum = amount.plus(lot.minimumIncrement)
    return {
      id: random.uuid(),
      auctionItemId: lot.id,
      bidderId: random.pick(users).id,
      guestId: random.chance(0.15) ? random.pick(guests).id : null,
      amount,
      minimumNextBid: minimum,
      status: index === count - 1 ? 'WINNING' : 'OUTBID',
      isProxy: random.chance(0.2),
      source: random.pick(['web', 'app', 'floor']),
      placedAt,
      createdAt: placedAt,
    }
  })
}

/** Returns the lot after these bids. */
export function withBids(lot: AuctionItem, bids: AuctionBid[]): AuctionItem {
  const winning = bids.at(-1)
  if (!winning) return lot
  return {
    ...lot,
    currentBid: winning.amount,
    currentBidId: winning.id,
    currentBidderId: winning.bidderId,
    minimumNextBid: winning.minimumNextBid,
    outbidBidderIds: [...new Set(bids.map(({ bidderId }) => bidderId))].filter(
      (id) => id !== winning.bidderId,
    ),
    bidCount: bids.length,
    lastBidAt: winning.placedAt,
    updatedAt: winning.placedAt,
  }
}
