import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

/**
 * The ids of an item's bids, highest first. Only ids, so that a new bid invalidates a short list instead of many rows.
 * A page of 107 items reads 107 of these lists with one command; without the cache, each page would cost a query.
 */
export const itemBidsCache = defineModelCache('AuctionItem', {
  name: 'ItemBids',
  select: {
    id: true,
    bids: { select: { id: true }, orderBy: [{ amount: 'desc' }, { placedAt: 'asc' }] },
  },
  ttl: '10m',
  // Depending on AuctionBid would invalidate all lists with each bid. BiddingService invalidates the one list instead.
  dependsOn: 'ttl',
})
