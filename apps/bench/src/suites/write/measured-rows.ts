import { type } from 'arktype'
import type { Redis } from 'ioredis'
import { modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, createPrismaSource, ValkeyStore } from 'model-cache/advanced'
import { json } from 'model-cache/arktype'
import type { FeatureFlags, PrismaClient } from '#prisma/client/client.js'
import type { Work } from '../../harness/costs.ts'
import { UnleasedStore } from '../../harness/unleased-store.ts'

/** One way to do something, compared with the others of its group. */
export interface CostTask extends Omit<Work, 'servers'> {
  readonly group: string
  /** Samples, if it takes too long for those of the suite. */
  readonly rounds?: number
  /** @throws when the work does not do what it should */
  verify(): Promise<void>
}

export type MeasuredRows = Awaited<ReturnType<typeof openRows>>

/** 500 rows of about a kilobyte, with everything that reads and writes them. */
export async function openRows(openClient: () => PrismaClient, redis: Redis, url: string) {
  const prisma = openClient()
  const ids = Array.from({ length: 500 }, (_, i) => `row-${i}`)
  const flags = { note: 'x'.repeat(900) }
  await prisma.featureFlags.createMany({ data: ids.map((id) => ({ id, revision: 0, flags })) })
  const store = new ValkeyStore({ url, deadlineMs: 5_000 })
  const unleasedStore = new UnleasedStore({ url, deadlineMs: 5_000 }, (fills) => {
    const pipeline = redis.pipeline()
    for (const { key, value, ttlMs } of fills) pipeline.set(key, value, 'PX', ttlMs)
    return pipeline.exec()
  })
  await Promise.all([store.connect(), unleasedStore.connect()])
  const schema = type({ id: 'string', revision: 'number', flags: json, updatedAt: 'Date' })
  const model = 'FeatureFlags'
  const define = modelCaches().defineModelCache<FeatureFlags>()
  const definition = define({ model, schema, id: 'id', ttl: '1h' })
  const source = createPrismaSource<FeatureFlags, string>(prisma, { name: model, model, idFields: ['id'] })
  const writes = new ModelCacheWrites()
  const cache = createModelCache(definition, { store, source, writes })
  const unleased = createModelCache(definition, { store: unleasedStore, source })
  for (const reader of [cache, unleased]) {
    await reader.getMany(ids)
    await reader.drain()
  }
  const rowKeys = async (): Promise<string[]> =>
    (await redis.keys('*')).filter((key) => /:row-\d+:[^:]+$/.test(key))
  const keys = new Map((await rowKeys()).map((key) => [/:(row-\d+):/.exec(key)![1]!, key]))
  let known = ''
  return {
    ids,
    schema,
    prisma,
    openClient,
    redis,
    store,
    cache,
    /** The same cache without leases. */
    unleased,
    /** Fences writes for `cache`. */
    writes,
    /** Asks, as each fenced write does, whether the catalogue still has the version that this process knows. */
    async askCatalogue() {
      const question = { known, isWriter: true, replicas: 0 }
      known = (await store.askCatalogue('mc:{catalogue}', question)).version
    },
    keyOf: (id: string) => keys.get(id)!,
    /** Removes all rows from Valkey, but neither the register of the model nor the catalogue. */
    async empty() {
      const found = (await redis.keys('*')).filter((key) => !/:register$|:\{catalogue\}/.test(key))
      if (found.length > 0) await redis.del(found)
    },
    /** The payloads in Valkey, in any order. */
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
