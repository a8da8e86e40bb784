import { caseSensitive, defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const auctionItemCache = defineModelCache('AuctionItem', {
  ttl: '10m',
  unique: { place: { by: ['fundraiserId', 'lot'], caseSensitive } },
  lists: { ofFundraiser: { by: 'fundraiserId', caseSensitive, orderBy: { sortOrder: 'asc' } } },
})
