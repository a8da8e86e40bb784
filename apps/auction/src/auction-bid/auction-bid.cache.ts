import { type } from 'arktype'
import { decimal, defineModelCache } from 'model-cache'
import type { AuctionBid } from '#prisma/client/client.js'

export const AuctionBidRow = type({
  id: 'string',
  auctionItemId: 'string',
  bidderId: 'string',
  guestId: 'string | null',
  amount: decimal,
  minimumNextBid: decimal,
  status: 'string',
  isProxy: 'boolean',
  source: 'string',
  placedAt: 'Date',
  createdAt: 'Date',
})

export const auctionBidCache = defineModelCache<AuctionBid>()({
  model: 'AuctionBid',
  schema: AuctionBidRow,
  id: 'id',
  ttl: '10m',
})
