import type { ModelCache } from 'model-cache'
import type { AuctionItem } from '#prisma/client/client.js'
import type { StormDesign } from './storm-design.js'

/** This library: the very cache that the resolvers of the auction read. */
export function createModelCacheDesign(items: ModelCache<AuctionItem, string>): StormDesign {
  return {
    name: 'model-cache',
    async fill(lots) {
      await items.getMany(lots.map(({ id }) => id))
    },
    get: (id) => items.get(id),
  }
}
