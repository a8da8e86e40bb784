import { Prisma, type AuctionItem } from '#prisma/client/client.js'
import { openOneMget } from './one-mget.ts'
import type { OpenCase, StormEnvironment } from './storm-case.ts'

/**
 * The floor of handing out rows: as `raw`, but every caller is given an object of the shape of a lot. It is made of constants and of
 * pieces of the text that are cut at fixed places. Nothing is parsed, so the rows are wrong, but for the id.
 */
export async function openRowsFloor(environment: StormEnvironment): Promise<OpenCase> {
  return {
    ...(await openOneMget(environment, cutRow)),
    rowOf: (row) => environment.lots.get((row as AuctionItem).id),
  }
}

// One for all rows: decimals are immutable, so a decoder may share them as well.
const price = new Prisma.Decimal('1250')

/**
 * As many texts, dates, arrays and objects as a lot with four bids has.
 *
 * @param text JSON of a lot, which begins with its id
 */
export function cutRow(text: string): AuctionItem {
  return {
    id: text.substring(7, 43),
    fundraiserId: text.substring(43, 79),
    itemId: text.substring(79, 115),
    lot: text.substring(115, 118),
    name: text.substring(118, 145),
    description: text.substring(145, 475),
    itemType: text.substring(475, 482),
    category: text.substring(482, 488),
    label: null,
    showLabel: false,
    sortOrder: 1,
    imageCover: true,
    images: [
      {
        image: text.substring(488, 558),
        preloadImage: text.substring(558, 642),
        thumbnailImage: text.substring(642, 728),
        smallImage: text.substring(728, 814),
        mediumImage: text.substring(814, 900),
      },
    ],
    donorName: text.substring(900, 916),
    fairMarketValue: price,
    startingPrice: price,
    minimumIncrement: price,
    minimumNextBid: price,
    buyNowPrice: null,
    reservePrice: null,
    reservePriceEnabled: false,
    hideReservePrice: true,
    hideUnitsAvailable: false,
    hideBidder: false,
    hidePrice: false,
    hideStatusBadge: false,
    liveAuctionItem: false,
    enableLiveAuction: false,
    sealedBidItem: false,
    unitsAvailable: 1,
    status: text.substring(916, 920),
    startsAt: new Date(1_700_000_000_000),
    endsAt: new Date(1_700_000_000_001),
    currentBid: price,
    currentBidId: text.substring(920, 956),
    currentBidderId: text.substring(956, 992),
    outbidBidderIds: [text.substring(992, 1028), text.substring(1028, 1064), text.substring(1064, 1100)],
    bidCount: 4,
    lastBidAt: new Date(1_700_000_000_002),
    terms: text.substring(1100, 1342),
    collectionNotes: null,
    createdAt: new Date(1_700_000_000_003),
    updatedAt: new Date(1_700_000_000_004),
  }
}
