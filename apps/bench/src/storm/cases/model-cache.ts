import { createModelCache, defineModelCache, ValkeyStore, type ModelCache } from 'model-cache'
import type { AuctionItem } from '#prisma/client/client.js'
import { auctionItemSchema } from '../../codec/fixtures/lots.ts'
import { TTL_MS, type OpenCase, type StormEnvironment } from './storm-case.ts'

const definition = defineModelCache<AuctionItem>()({
  model: 'AuctionItem',
  schema: auctionItemSchema,
  id: 'id',
  ttl: TTL_MS,
})

/** This library, read by read. */
export async function openModelCache(environment: StormEnvironment): Promise<OpenCase> {
  const cache = await open(environment)
  return { get: (id) => cache.get(id) }
}

/** This library, with all that a user wants in one call. */
export async function openModelCacheGetMany(environment: StormEnvironment): Promise<OpenCase> {
  const cache = await open(environment)
  return { get: (id) => cache.get(id), getMany: (ids) => cache.getMany(ids) }
}

async function open({ url, source }: StormEnvironment): Promise<ModelCache<AuctionItem, string>> {
  const store = new ValkeyStore({ url })
  await store.connect()
  return createModelCache(definition, {
    store,
    source: { load: (ids) => source.load(ids), mayBlameOneId: () => false },
  })
}
