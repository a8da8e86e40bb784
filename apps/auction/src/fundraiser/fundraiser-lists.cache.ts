import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

const inPageOrder = { select: { id: true }, orderBy: { sortOrder: 'asc' } } as const

/**
 * The ids of a fundraiser's items, in page order. Separate from the items, so that editing one invalidates a row of 2 kB
 * instead of a page of 300 kB.
 */
export const fundraiserItemsCache = defineModelCache('Fundraiser', {
  name: 'FundraiserItems',
  select: { id: true, auctionItems: inPageOrder },
  ttl: '10m',
  // Every bid writes an AuctionItem. Code that adds, removes or moves an item has to invalidate the list.
  dependsOn: 'ttl',
})

/** The ids of a fundraiser's giving levels and bundles, in page order. */
export const fundraiserOffersCache = defineModelCache('Fundraiser', {
  name: 'FundraiserOffers',
  select: { id: true, givingLevels: inPageOrder, sponsorBundles: inPageOrder },
  ttl: '10m',
  dependsOn: ['GivingLevel', 'SponsorBundle'],
})
