import type { Prisma } from '#prisma/client/client.js'
import { caseSensitive, defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export type SponsorBundleWithSponsors = Prisma.SponsorBundleGetPayload<{ include: { sponsors: true } }>

/** Caches each bundle with its sponsors, which are always shown together. */
export const sponsorBundleCache = defineModelCache('SponsorBundle', {
  include: { sponsors: { orderBy: { sortOrder: 'asc' } } },
  ttl: '10m',
  lists: { ofFundraiser: { by: 'fundraiserId', caseSensitive, orderBy: { sortOrder: 'asc' } } },
  dependsOn: ['Sponsor'],
})
