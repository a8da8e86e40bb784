import { type } from 'arktype'
import { decimal, defineModelCache } from 'model-cache'
import type { Prisma } from '#prisma/client/client.js'

export type SponsorBundleWithSponsors = Prisma.SponsorBundleGetPayload<{ include: { sponsors: true } }>

export const SponsorRow = type({
  id: 'string',
  bundleId: 'string',
  name: 'string',
  websiteUrl: 'string | null',
  logoUrl: 'string',
  tagline: 'string | null',
  pledged: decimal,
  pledgedAt: 'Date',
  paidAt: 'Date | null',
  sortOrder: 'number',
})

export const SponsorBundleRow = type({
  id: 'string',
  fundraiserId: 'string',
  name: 'string',
  tier: 'string',
  description: 'string',
  price: decimal,
  taxValue: decimal,
  seats: 'number',
  benefits: 'string[]',
  sortOrder: 'number',
  publishedAt: 'Date | null',
  createdAt: 'Date',
  updatedAt: 'Date',
  sponsors: SponsorRow.array(),
})

/** Caches each bundle with its sponsors, which are always shown together. */
export const sponsorBundleCache = defineModelCache<SponsorBundleWithSponsors>()({
  model: 'SponsorBundle',
  schema: SponsorBundleRow,
  include: { sponsors: { orderBy: { sortOrder: 'asc' } } },
  id: 'id',
  ttl: '10m',
  dependsOn: ['Sponsor'],
})
