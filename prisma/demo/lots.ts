import { Prisma } from '#prisma/client/client.js'
import type { AuctionItem, Item } from '#prisma/client/client.js'
import type { Random } from './random.js'
import { prose } from './text.js'
import { AUCTION_CLOSES, AUCTION_OPENED, CREATED, EARLY_CLOSE } from './times.js'

const THINGS = [
  'Manor House Weekend',
  'Lakeside Suite',
  'Signed First Edition',
  'Vintage Champagne Case',
  'Sailing Day',
  'Chef’s Table for Six',
  'Box at the Opera',
  'Portrait Sitting',
  'Tractor Tour & Farmhouse Tea',
  'Stadium Hospitality',
] as const
const PLACES = [
  'Kenmare',
  'Castlemartyr',
  'Wicklow',
  'Kraków',
  'Skåne',
  'Lyon',
  'the Burren',
  'Dublin',
] as const
const CATEGORIES = ['travel', 'dining', 'art', 'sport', 'experience'] as const
const DONORS = [
  'Tulfarris House',
  'Atelier Nowak',
  'Blackwater Distillery',
  'Friends of the Hospital',
  'Anonymous',
] as const

export function buildItem(random: Random, index: number): Item {
  const createdAt = random.date(CREATED, AUCTION_OPENED)
  return {
    id: random.uuid(),
    sku: `DEMO-${String(index + 1).padStart(4, '0')}`,
    title: `${random.pick(THINGS)}, ${random.pick(PLACES)}`,
    description: prose(random, 420),
    category: random.pick(CATEGORIES),
    condition: random.pick(['new', 'as new', 'voucher']),
    donorName: random.pick(DONORS),
    donorUrl: random.chance(0.5) ? 'https://www.example.org/donors' : null,
    fairMarketValue: new Prisma.Decimal(random.integer(40, 4000) * 5),
    quantity: 1,
    weightGrams: random.chance(0.4) ? random.integer(100, 9000) : null,
    isVirtual: random.chance(0.3),
    restrictions: random.chance(0.3) ? 'Not available on public holidays.' : null,
    expiresAt: random.chance(0.6) ? AUCTION_CLOSES : null,
    createdAt,
    updatedAt: createdAt,
  }
}

/** Builds a lot without bids, about 2.3 kB as JSON. One in fifty is closed. */
export function buildAuctionItem(
  random: Random,
  index: number,
  item: Item,
  fundraiserId: string,
): AuctionItem {
  const startingPrice = item.fairMarketValue.div(2).toDecimalPlaces(0)
  const isClosed = index % 50 === 49
  return {
    id: random.uuid(),
    fundraiserId,
    itemId: item.id,
    lot: `D${index + 1}`,
    name: item.title,
    description: prose(random, 360),
    itemType: 'bidding',
    category: item.category,
    label: random.chance(0.1) ? 'Highlight' : null,
    showLabel: false,
    sortOrder: index + 1,
    imageCover: random.chance(0.5),
    images: [imageSet(random.uuid())],
    donorName: item.donorName,
    fairMarketValue: item.fairMarketValue,
    startingPrice,
    minimumIncrement: new Prisma.Decimal(random.pick(['5', '10', '12.5', '25', '50'])),
    minimumNextBid: startingPrice,
    buyNowPrice: random.chance(0.1) ? item.fairMarketValue.times(2) : null,
    reservePrice: random.chance(0.2) ? startingPrice.times('1.2').toDecimalPlaces(2) : null,
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
    status: isClosed ? 'CLOSED' : 'OPEN',
    startsAt: AUCTION_OPENED,
    endsAt: isClosed ? EARLY_CLOSE : AUCTION_CLOSES,
    currentBid: null,
    currentBidId: null,
    currentBidderId: null,
    outbidBidderIds: [],
    bidCount: 0,
    lastBidAt: null,
    terms: prose(random, 240),
    collectionNotes: random.chance(0.5) ? 'Collect at the venue after the auction, or have it sent.' : null,
    createdAt: item.createdAt,
    updatedAt: item.createdAt,
  }
}

function imageSet(name: string): Prisma.JsonObject {
  const image = `https://images.example.org/demo/${name}.jpg`
  return {
    image,
    preloadImage: `${image}.64x64_q85.jpg`,
    thumbnailImage: `${image}.128x128_q85.jpg`,
    smallImage: `${image}.256x256_q85.jpg`,
    mediumImage: `${image}.512x512_q85.jpg`,
  }
}
