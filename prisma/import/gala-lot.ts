import { type } from 'arktype'
import { amount, int32, text, time } from './fields.js'

/** A lot in the export of a silent auction. */
export const GalaLot = type({
  id: 'string.uuid',
  lot: text,
  name: text,
  itemType: text,
  label: text.or('null'),
  showLabel: 'boolean',
  order: int32,
  imageCover: 'boolean',
  images: type({
    image: 'string.url',
    preload_image: 'string.url',
    thumbnail_image: 'string.url',
    small_image: 'string.url',
    medium_image: 'string.url',
  }).array(),
  bidding: {
    starting_price: amount,
    minimum_increment: amount,
    live_auction_item: 'boolean',
    enable_live_auction: 'boolean',
    sealed_bid_item: 'boolean',
    reserve_price: amount.or('null'),
    reserve_price_enabled: 'boolean',
    hide_reserve_price: 'boolean',
    hide_units_available: 'boolean',
    hide_bidder: 'boolean',
    hide_price: 'boolean',
    hide_status_badge: 'boolean',
    units_available: int32,
    minimum_next_bid: amount,
  },
  outbidBidders: 'string.uuid[]',
  winningBids: type({
    id: 'string.uuid',
    bidderId: 'string.uuid',
    amount,
    minimumNextBid: amount,
    createdAt: time,
  }).array(),
})
export type GalaLot = typeof GalaLot.infer
