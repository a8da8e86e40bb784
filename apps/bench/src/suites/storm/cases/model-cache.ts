import { type ModelCache } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { defineLots, sourceOf } from '../../../harness/fixtures/lot-cache.ts'
import { TTL_MS, type OpenCase, type BurstEnvironment } from './storm-case.ts'

async function open(
  { url, source }: BurstEnvironment,
  options: Parameters<typeof defineLots>[0] = {},
): Promise<ModelCache<AuctionItem, string>> {
  const store = new ValkeyStore({ url })
  await store.connect()
  return createModelCache(defineLots({ ttl: TTL_MS, ...options }), {
    store,
    source: sourceOf((ids: readonly string[]) => source.load(ids)),
  })
}

export async function openModelCache(environment: BurstEnvironment): Promise<OpenCase> {
  const cache = await open(environment)
  return { get: (id) => cache.get(id) }
}

export async function openModelCacheShared(environment: BurstEnvironment): Promise<OpenCase> {
  const cache = await open(environment, { rows: 'shared' })
  return { get: (id) => cache.get(id) }
}

export async function openModelCacheL1(environment: BurstEnvironment): Promise<OpenCase> {
  const cache = await open(environment, { l1: { ttl: TTL_MS, maxEntries: 10_000 } })
  return { get: (id) => cache.get(id), forget: () => cache.invalidateAll() }
}

export async function openModelCacheGetMany(environment: BurstEnvironment): Promise<OpenCase> {
  const cache = await open(environment)
  return { get: (id) => cache.get(id), getMany: (ids) => cache.getMany(ids) }
}
