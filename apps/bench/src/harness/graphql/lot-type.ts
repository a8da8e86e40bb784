import { GraphQLISODateTime } from '@nestjs/graphql'
import { GraphQLScalarType } from 'graphql'

/** Names of the fields of a lot, by GraphQL type. */
const FIELDS: Readonly<Record<string, string>> = {
  'ID!': 'id fundraiserId itemId',
  'String!': 'lot name description itemType category donorName status',
  String: 'label terms collectionNotes',
  'Boolean!':
    'showLabel imageCover reservePriceEnabled hideReservePrice hideUnitsAvailable hideBidder hidePrice hideStatusBadge ' +
    'liveAuctionItem enableLiveAuction sealedBidItem',
  'Int!': 'sortOrder unitsAvailable bidCount',
  '[Image!]!': 'images',
  'Decimal!': 'fairMarketValue startingPrice minimumIncrement minimumNextBid',
  Decimal: 'buyNowPrice reservePrice currentBid',
  'DateTime!': 'startsAt createdAt updatedAt',
  DateTime: 'endsAt lastBidAt',
  ID: 'currentBidId currentBidderId',
  '[ID!]!': 'outbidBidderIds',
}

/** All scalar fields of a lot, as SDL, for a type that adds its relations. */
export const lotFields: string = Object.entries(FIELDS)
  .flatMap(([type, names]) => names.split(' ').map((name) => `${name}: ${type}`))
  .join(' ')

/** A selection of all fields of {@link lotFields}. */
export const lotSelection: string = Object.values(FIELDS)
  .join(' ')
  .replace('images', 'images { image thumbnailImage }')

/** The types that {@link lotFields} name. */
export const lotFieldTypes = `
  scalar DateTime
  scalar Decimal
  type Image { image: String preloadImage: String thumbnailImage: String smallImage: String mediumImage: String }
`

/** Resolvers of the scalars of {@link lotFieldTypes}. */
export const scalars = {
  DateTime: GraphQLISODateTime,
  Decimal: new GraphQLScalarType<string, string>({ name: 'Decimal', serialize: String }),
}
