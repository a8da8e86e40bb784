import { type ModelCache } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { defineLots, sourceOf } from '../../../harness/fixtures/lot-cache.ts'
import { TTL_MS } from '../../../harness/peers.ts'
import type { BurstEnvironment, OpenCase } from '../storm-case.ts'

type Lots = ModelCache<AuctionItem, string>

const opens =
  (options: Parameters<typeof defineLots>[0] = {}, more: (cache: Lots) => Partial<OpenCase> = () => ({})) =>
  async ({ url, source }: BurstEnvironment): Promise<OpenCase> => {
    const store = new ValkeyStore({ url })
    await store.connect()
    const cache = createModelCache(defineLots({ ttl: TTL_MS, ...options }), {
      store,
      source: sourceOf((ids: readonly string[]) => source.load(ids)),
    })
    return { get: (id) => cache.get(id), ...more(cache) }
  }

export const modelCaches = {
  'model-cache': opens(),
  'model-cache-l1': opens({ l1: { ttl: TTL_MS, maxEntries: 10_000 } }, (cache) => ({
    forget: () => cache.invalidateAll(),
  })),
  'model-cache-shared': opens({ rows: 'shared' }),
  'model-cache-getMany': opens({}, (cache) => ({ getMany: (ids) => cache.getMany(ids) })),
}
