import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const auctionItemCache = defineModelCache('AuctionItem', {
  ttl: '10m',
  unique: { place: ['fundraiserId', 'lot'] },
  lists: { ofFundraiser: { by: 'fundraiserId', orderBy: { sortOrder: 'asc' } } },
})
