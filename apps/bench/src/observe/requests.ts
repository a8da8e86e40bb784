/** Fields of a lot, and their types. */
export const lotFields = {
  id: 'ID!',
  fundraiserId: 'ID!',
  itemId: 'ID!',
  lot: 'String!',
  name: 'String!',
  description: 'String!',
  itemType: 'String!',
  category: 'String!',
  label: 'String',
  showLabel: 'Boolean!',
  sortOrder: 'Int!',
  imageCover: 'Boolean!',
  images: '[Image!]!',
  donorName: 'String!',
  fairMarketValue: 'Decimal!',
  startingPrice: 'Decimal!',
  minimumIncrement: 'Decimal!',
  minimumNextBid: 'Decimal!',
  buyNowPrice: 'Decimal',
  reservePrice: 'Decimal',
  reservePriceEnabled: 'Boolean!',
  hideReservePrice: 'Boolean!',
  hideUnitsAvailable: 'Boolean!',
  hideBidder: 'Boolean!',
  hidePrice: 'Boolean!',
  hideStatusBadge: 'Boolean!',
  liveAuctionItem: 'Boolean!',
  enableLiveAuction: 'Boolean!',
  sealedBidItem: 'Boolean!',
  unitsAvailable: 'Int!',
  status: 'String!',
  startsAt: 'DateTime!',
  endsAt: 'DateTime',
  currentBid: 'Decimal',
  currentBidId: 'ID',
  currentBidderId: 'ID',
  outbidBidderIds: '[ID!]!',
  bidCount: 'Int!',
  lastBidAt: 'DateTime',
  terms: 'String',
  collectionNotes: 'String',
  createdAt: 'DateTime!',
  updatedAt: 'DateTime!',
} as const

const all = Object.keys(lotFields).join(' ').replace('images', 'images { image thumbnailImage }')

export interface MeasuredRequest {
  readonly name: string
  readonly query: string
}

/** The auction page: what this library is made for, and whose cost is compared with what is allowed. */
export const page: MeasuredRequest = {
  name: `all ${Object.keys(lotFields).length} fields`,
  query: `{ page { ${all} similar { id name } } }`,
}

/** As little as a page can ask for, so that what a request costs in any case weighs the most. */
export const overview: MeasuredRequest = {
  name: 'four fields',
  query: '{ page { id name description lot similar { id name } } }',
}
