import { defineModelCache, type ModelCache } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { auctionItemSchema } from '../../codec/fixtures/lots.ts'
import { TTL_MS, type OpenCase, type StormEnvironment } from './storm-case.ts'

const options = { model: 'AuctionItem', schema: auctionItemSchema, id: 'id', ttl: TTL_MS } as const
const lots = defineModelCache<AuctionItem>()(options)
const sharedLots = defineModelCache<AuctionItem>()({ ...options, rows: 'shared' })
const lotsInMemory = defineModelCache<AuctionItem>()({ ...options, l1: { ttl: TTL_MS, maxEntries: 10_000 } })

/** This library, read by read. */
export async function openModelCache(environment: StormEnvironment): Promise<OpenCase> {
  const cache = await open(lots, environment)
  return { get: (id) => cache.get(id) }
}

/** This library, all callers of a row given the one frozen row. */
export async function openModelCacheShared(environment: StormEnvironment): Promise<OpenCase> {
  const cache = await open(sharedLots, environment)
  return { get: (id) => cache.get(id) }
}

/** This library with rows in the memory of the process as well. */
export async function openModelCacheL1(environment: StormEnvironment): Promise<OpenCase> {
  const cache = await open(lotsInMemory, environment)
  return { get: (id) => cache.get(id), forget: () => cache.invalidateAll() }
}

/** This library, with all that a user wants in one call. */
export async function openModelCacheGetMany(environment: StormEnvironment): Promise<OpenCase> {
  const cache = await open(lots, environment)
  return { get: (id) => cache.get(id), getMany: (ids) => cache.getMany(ids) }
}

async function open(
  definition: typeof lots,
  { url, source }: StormEnvironment,
): Promise<ModelCache<AuctionItem, string>> {
  const store = new ValkeyStore({ url })
  await store.connect()
  return createModelCache(definition, {
    store,
    source: { load: (ids) => source.load(ids), mayBlameOneId: () => false },
  })
}
