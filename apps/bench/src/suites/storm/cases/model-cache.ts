import type { ModelCache } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { defineLots, sourceOf } from '../../../harness/fixtures/lot-cache.ts'
import { TTL_MS } from '../../../harness/peers.ts'
import type { OpenCase, StormCase } from '../storm-case.ts'

const ofLibrary = (
  name: string,
  note: string,
  options: Parameters<typeof defineLots>[0] = {},
  more: (cache: ModelCache<AuctionItem, string>) => Partial<OpenCase> = () => ({}),
): StormCase => ({
  name,
  note,
  async open({ url, source }) {
    const store = new ValkeyStore({ url })
    await store.connect()
    const cache = createModelCache(defineLots({ ttl: TTL_MS, ...options }), {
      store,
      source: sourceOf((ids: readonly string[]) => source.load(ids)),
    })
    return { get: (id) => cache.get(id), ...more(cache) }
  },
})

export const modelCaches: readonly StormCase[] = [
  ofLibrary('model-cache', 'without a memory layer'),
  ofLibrary('model-cache-l1', 'with L1', { l1: { ttl: TTL_MS, maxEntries: 10_000 } }, (cache) => ({
    forget: () => cache.invalidateAll(),
  })),
  ofLibrary('model-cache-shared', "rows: 'shared', all callers of a lot get the one frozen row", {
    rows: 'shared',
  }),
  ofLibrary('model-cache-getMany', 'one getMany per user', {}, (cache) => ({
    getMany: (ids) => cache.getMany(ids),
  })),
]
