import { Redis } from 'ioredis'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import { databaseOf, KeptResults, NamespaceDatabase, schemaFactsOf, ValkeyStore } from 'model-cache/advanced'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Variant } from '../../harness/comparison.ts'
import { openBentocache, TTL_MS } from '../../harness/peers.ts'
import type { Query } from './queries.ts'

/** An application that answers its queries in some way. */
export interface Opened {
  /** The client by which it writes. */
  readonly prisma: PrismaClient
  readonly read: (query: Query) => Promise<unknown>
  /** What its code does after a write to models. */
  readonly afterWrite?: (models: readonly string[]) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

export interface ResultsVariant extends Variant {
  readonly note: string
  /** @param client a plain one, which nobody else uses */
  open(client: PrismaClient, valkeyUrl: string): Promise<Opened>
}

const results = { AuctionItem: '10m', AuctionBid: '10m' } as const

export const allVariants: readonly ResultsVariant[] = [
  {
    name: 'Prisma',
    note: 'all queries go to PostgreSQL',
    open: async (prisma) => ({ prisma, read: ({ run }) => run(prisma), close: async () => {} }),
  },
  {
    name: 'bentocache',
    isPeer: true,
    note: 'getOrSet with the models as tags, and deleteByTag after each write; JSON in Valkey, dates and decimals as texts',
    async open(prisma, url) {
      const cache = await openBentocache({ url })
      return {
        prisma,
        read: ({ key, models, run }) =>
          cache.getOrSet({ key, tags: [...models], factory: async () => asJson(await run(prisma)) }),
        afterWrite: (models) => cache.deleteByTag({ tags: [...models] }),
        close: () => cache.disconnectAll(),
      }
    },
  },
  {
    name: 'cacheable',
    isPeer: true,
    note: 'get, and set with the models as tags, and invalidateTags after each write; JSON in Valkey, dates and decimals as texts',
    async open(prisma, url) {
      const { Cacheable } = await import('cacheable')
      const { createKeyv } = await import('@keyv/redis')
      const cache = new Cacheable({ primary: createKeyv(url), tags: true, ttl: TTL_MS })
      return {
        prisma,
        async read({ key, models, run }) {
          const known = await cache.get(key)
          if (known !== undefined) return known
          const result = asJson(await run(prisma))
          await cache.set(key, result, { tags: [...models] })
          return result
        },
        afterWrite: (models) => cache.tags.invalidateTags([...models]),
        close: () => cache.disconnect(),
      }
    },
  },
  {
    name: 'prisma-extension-redis',
    isPeer: true,
    note: 'auto, with invalidateOnWrite, and a ttl of a minute; values as it stores them',
    async open(client, url) {
      const { PrismaExtensionRedis } = await import('prisma-extension-redis')
      const redis = new Redis(url)
      const prisma = client.$extends(
        PrismaExtensionRedis({
          config: { ttl: 60, stale: 0, type: 'STRING', auto: { ttl: 60, stale: 0, invalidateOnWrite: true } },
          client: redis,
        }),
      ) as unknown as PrismaClient
      return { prisma, read: ({ run }) => run(prisma), close: async () => redis.disconnect() }
    },
  },
  {
    name: 'model-cache',
    note: '`reads.results` of both models; results with dates and decimals, as Prisma has them',
    async open(client, url) {
      const store = new ValkeyStore({ url, deadlineMs: 30_000 })
      await store.connect()
      const writes = new ModelCacheWrites()
      const prisma = extendPrisma(client, writes, { reads: { results } })
      const namespace = 'bench-results'
      const database = new NamespaceDatabase({ store, namespace, database: databaseOf(prisma) })
      const kept = new KeptResults({
        models: new Map(Object.entries(results).map(([model, ttl]) => [model, { ttl }])),
        facts: schemaFactsOf(prisma),
        store,
        writes,
        database,
        namespace,
        consistency: { fenceMs: 1_000 },
      })
      await database.start()
      await kept.join()
      writes.reads.results = kept
      return {
        prisma,
        read: ({ run }) => run(prisma),
        async close() {
          writes.reads.results = undefined
          await kept.close()
          await writes.close()
          await database.stop()
          await store.close()
        },
      }
    },
  },
]

/** What a cache that stores JSON has of a result: others would keep the objects of their caller. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
