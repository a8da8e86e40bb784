import { type } from 'arktype'
import { defineModelCache } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'

export const FundraiserListsRow = type({
  id: 'string',
  auctionItemIds: 'string[]',
  givingLevelIds: 'string[]',
  sponsorBundleIds: 'string[]',
})
export type FundraiserLists = typeof FundraiserListsRow.infer

/**
 * The ids of a fundraiser's items, giving levels and bundles, in page order. Separate from the rows, so that editing an
 * item invalidates a row of 2 kB instead of a page of 300 kB.
 */
export const fundraiserListsCache = defineModelCache<FundraiserLists>()({
  name: 'FundraiserLists',
  model: 'Fundraiser',
  schema: FundraiserListsRow,
  id: 'id',
  ttl: '10m',
  // Without AuctionItem, which every bid writes. Code that adds, removes or moves an item has to invalidate the list.
  dependsOn: ['GivingLevel', 'SponsorBundle'],
  async load(prisma: PrismaClient, ids: readonly string[]) {
    const listed = { select: { id: true }, orderBy: { sortOrder: 'asc' } } as const
    const fundraisers = await prisma.fundraiser.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, auctionItems: listed, givingLevels: listed, sponsorBundles: listed },
    })
    return fundraisers.map(({ id, auctionItems, givingLevels, sponsorBundles }) => ({
      id,
      auctionItemIds: auctionItems.map((row) => row.id),
      givingLevelIds: givingLevels.map((row) => row.id),
      sponsorBundleIds: sponsorBundles.map((row) => row.id),
    }))
  },
})
