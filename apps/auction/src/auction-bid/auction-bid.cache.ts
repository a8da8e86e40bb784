import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const auctionBidCache = defineModelCache('AuctionBid', { ttl: '10m' })
