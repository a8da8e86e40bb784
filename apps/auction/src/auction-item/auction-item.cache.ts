import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const auctionItemCache = defineModelCache('AuctionItem', { ttl: '10m' })
