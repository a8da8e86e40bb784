import { caseSensitive, defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const givingLevelCache = defineModelCache('GivingLevel', {
  ttl: '10m',
  lists: { ofFundraiser: { by: 'fundraiserId', caseSensitive, orderBy: { sortOrder: 'asc' } } },
})
