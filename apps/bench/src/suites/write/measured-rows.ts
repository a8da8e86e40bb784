import { type } from 'arktype'
import type { Redis } from 'ioredis'
import { modelCaches, ModelCacheWrites } from 'model-cache'
import { json } from 'model-cache/arktype'
import {
  createModelCache,
  createPrismaSource,
  ValkeyStore,
  type Fill,
  type ReadThroughCache,
} from 'model-cache/advanced'
import type { FeatureFlags, PrismaClient } from '#prisma/client/client.js'
import { UnleasedStore } from '../../harness/unleased-store.ts'

const { defineModelCache } = modelCaches()

/** 500 rows of about a kilobyte, with everything that reads and writes them. */
export interface MeasuredRows {
  readonly ids: readonly string[]
  readonly schema: typeof schema
  readonly prisma: PrismaClient
  /** A plain client. */
  readonly redis: Redis
  readonly store: ValkeyStore
  readonly cache: ReadThroughCache<FeatureFlags, string>
  /** The same cache without leases. */
  readonly unleased: ReadThroughCache<FeatureFlags, string>
  /** Fences writes for `cache`. */
  readonly writes: ModelCacheWrites
  /** Asks, as each fenced write does, whether the catalogue still has the version that this process knows. */
  askCatalogue(): Promise<unknown>
  keyOf(id: string): string
  /** Removes all rows from Valkey, but neither the register of the model nor the catalogue. */
  empty(): Promise<void>
  /** The payloads in Valkey, in any order. */
  stored(): Promise<readonly string[]>
  close(): Promise<void>
}

const schema = type({ id: 'string', revision: 'number', flags: json, updatedAt: 'Date' })
const definition = defineModelCache<FeatureFlags>()({ model: 'FeatureFlags', schema, id: 'id', ttl: '1h' })

export async function openRows(prisma: PrismaClient, redis: Redis, url: string): Promise<MeasuredRows> {
  const ids = Array.from({ length: 500 }, (_, i) => `row-${i}`)
  const flags = { note: 'x'.repeat(900) }
  await prisma.featureFlags.createMany({ data: ids.map((id) => ({ id, revision: 0, flags })) })
  const store = new ValkeyStore({ url, deadlineMs: 5_000 })
  const unleasedStore = new UnleasedStore({ url, deadlineMs: 5_000 }, (rows) => setPipelined(redis, rows))
  await Promise.all([store.connect(), unleasedStore.connect()])
  const writes = new ModelCacheWrites()
  const source = createPrismaSource<FeatureFlags, string>(prisma, {
    name: definition.name,
    model: definition.model,
    idFields: ['id'],
  })
  const cache = createModelCache(definition, { store, source, writes })
  const unleased = createModelCache(definition, { store: unleasedStore, source })
  const allKeys = async (): Promise<string[]> =>
    (await redis.keys('*')).filter((key) => !/:register$|:\{catalogue\}/.test(key))
  const rowKeys = async (): Promise<string[]> =>
    (await allKeys()).filter((key) => /:row-\d+:[^:]+$/.test(key))
  for (const reader of [cache, unleased]) {
    await reader.getMany(ids)
    await reader.drain()
  }
  let known = ''
  const keys = new Map((await rowKeys()).map((key) => [/:(row-\d+):/.exec(key)![1]!, key]))
  return {
    ids,
    schema,
    prisma,
    redis,
    store,
    cache,
    unleased,
    writes,
    async askCatalogue() {
      const question = { known, isWriter: true, replicas: 0 }
      known = (await store.askCatalogue('mc:{catalogue}', question)).version
    },
    keyOf: (id) => keys.get(id)!,
    async empty() {
      const found = await allKeys()
      if (found.length > 0) await redis.del(found)
    },
    async stored() {
      const found = await rowKeys()
      return found.length > 0 ? (await redis.mget(found)).filter((text) => text !== null) : []
    },
    async close() {
      await Promise.all([cache.close(), unleased.close()])
      await Promise.all([store.close(), unleasedStore.close()])
    },
  }
}

async function setPipelined(redis: Redis, fills: readonly Fill[]): Promise<void> {
  const pipeline = redis.pipeline()
  for (const { key, value, ttlMs } of fills) pipeline.set(key, value, 'PX', ttlMs)
  await pipeline.exec()
}
