import { caseSensitive, defineModelCache } from '../infrastructure/caching/define-model-cache.js'

const highestFirst = [{ amount: 'desc' }, { placedAt: 'asc' }] as const

export const auctionBidCache = defineModelCache('AuctionBid', {
  ttl: '10m',
  lists: {
    // A page shows ten bids of each item, and reads no others.
    topOfItem: { by: 'auctionItemId', caseSensitive, orderBy: highestFirst, limit: 10 },
    ofItem: { by: 'auctionItemId', caseSensitive, orderBy: highestFirst, limit: 100 },
  },
})
