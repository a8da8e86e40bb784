import { Redis } from 'ioredis'
import type { PageEnvironment, PageRows } from '../page-rows.ts'
import { reviveBid, reviveHead, reviveLot, reviveUser } from '../revive.ts'
import { findUnique } from './prisma.ts'

/** Longer than a run lasts. */
export const TTL_MS = 600_000

type Wrap = <Value>(key: string, load: () => Value | Promise<Value>) => Promise<Value>

/** What each resolver of plain Prisma returns, wrapped by its cache, and dates and decimals restored. */
function wrapped({ prisma }: PageEnvironment, wrap: Wrap): PageRows {
  const rows = findUnique(prisma)
  return {
    async head(id) {
      const head = await wrap(`fundraiser:${id}`, () => rows.head(id))
      return head && reviveHead(head)
    },
    lots: async (head) => (await wrap(`lots:${head.id}`, () => rows.lots(head))).map(reviveLot),
    bids: async (lot) => (await wrap(`bids:${lot.id}`, () => rows.bids(lot))).map(reviveBid),
    async bidder(bid) {
      const user = await wrap(`user:${bid.bidderId}`, () => rows.bidder(bid))
      return user && reviveUser(user)
    },
  }
}

/** The two layers of its README; serialized by JSON.stringify, which is faster than the default of Keyv. */
export async function openCacheManager(environment: PageEnvironment): Promise<PageRows> {
  const { default: KeyvRedis } = await import('@keyv/redis')
  const { createCache } = await import('cache-manager')
  const { CacheableMemory } = await import('cacheable')
  const { Keyv } = await import('keyv')
  const memory = new Keyv({ store: new CacheableMemory({ ttl: TTL_MS, lruSize: 5_000 }) })
  const redis = new Keyv({ store: new KeyvRedis(environment.valkeyUrl) })
  for (const keyv of [memory, redis]) {
    keyv.serialize = JSON.stringify
    keyv.deserialize = (text) => JSON.parse(text)
  }
  const cache = createCache({ stores: [memory, redis], ttl: TTL_MS })
  return wrapped(environment, (key, load) => cache.wrap(key, load))
}

/** The two layers and the bus of its guide. */
export async function openBentocache(environment: PageEnvironment): Promise<PageRows> {
  const { BentoCache, bentostore } = await import('bentocache')
  const { memoryDriver } = await import('bentocache/drivers/memory')
  const { redisBusDriver, redisDriver } = await import('bentocache/drivers/redis')
  const { hostname: host, port, password, username } = new URL(environment.valkeyUrl)
  const connection = { host, port: Number(port || 6379), password, username }
  const cache = new BentoCache({
    default: 'multitier',
    stores: {
      multitier: bentostore()
        .useL1Layer(memoryDriver({ maxSize: '10mb' }))
        .useL2Layer(redisDriver({ connection: new Redis({ ...connection, enableAutoPipelining: true }) }))
        .useBus(redisBusDriver({ connection })),
    },
  })
  return wrapped(environment, (key, load) =>
    cache.getOrSet({ key, ttl: TTL_MS, factory: async () => load() }),
  )
}
