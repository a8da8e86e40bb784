import { defineModelCache } from 'model-cache'
import { createLoadSource, createModelCache, MemoryStore } from 'model-cache/advanced'
import type { CreateModelCacheOptions } from 'model-cache/advanced'
import type { AuctionBid } from '#prisma/client/client.js'
import { auctionBidSchema } from '../../codec/fixtures/auction-bid.ts'
import { bids } from '../bids.ts'

const definition = defineModelCache<AuctionBid>()({
  model: 'AuctionBid',
  schema: auctionBidSchema,
  id: 'id',
  ttl: '1h',
})
const byId = new Map(bids.map((bid) => [bid.id, bid]))

/** This library over a store in memory: a server's round trip would hide what is decided here. */
export function openLibrary(
  parts: Pick<CreateModelCacheOptions<AuctionBid, string>, 'consistency' | 'observer' | 'writes'>,
) {
  return createModelCache(definition, {
    store: new MemoryStore(),
    source: createLoadSource<AuctionBid, string>(
      (_, ids) => ids.map((id) => ({ ...byId.get(id)! })),
      undefined,
    ),
    ...parts,
  })
}
