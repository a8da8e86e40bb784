import type { ModelCache } from 'model-cache'
import type { AuctionItem } from '#prisma/client/client.js'
import type { BurstDesign } from './burst-design.js'

/** This library, with the same cache that the resolvers of the auction read. */
export function createModelCacheDesign(items: ModelCache<AuctionItem, string>): BurstDesign {
  return {
    name: 'model-cache',
    async fill(lots) {
      await items.getMany(lots.map(({ id }) => id))
    },
    get: (id) => items.get(id),
  }
}
