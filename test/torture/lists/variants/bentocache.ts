import { BentoCache, bentostore } from 'bentocache'
import { memoryDriver } from 'bentocache/drivers/memory'
import { redisBusDriver, redisDriver } from 'bentocache/drivers/redis'
import { Redis } from 'ioredis'
import { TTL_MS, type ListsEnvironment, type OpenLists } from '../variant.ts'
import { listKey, nameKey, readThrough, reviveStored } from './stored.ts'

/** The two layers and the bus of its guide to several tiers; each value under a tag. */
export function openBentocache({ prisma, valkeyUrl }: ListsEnvironment): OpenLists {
  const { hostname: host, port, password, username } = new URL(valkeyUrl)
  const connection = { host, port: Number(port || 6379), password, username }
  const cache = new BentoCache({
    default: 'multitier',
    ttl: TTL_MS,
    serializer: {
      serialize: (entry) => JSON.stringify(entry),
      deserialize(text: string) {
        const entry = JSON.parse(text) as { value: unknown }
        reviveStored(entry.value)
        return entry
      },
    },
    stores: {
      multitier: bentostore()
        .useL1Layer(memoryDriver({ maxSize: '100mb', maxItems: 5_000 }))
        .useL2Layer(redisDriver({ connection: new Redis({ ...connection, enableAutoPipelining: true }) }))
        .useBus(redisBusDriver({ connection })),
    },
  })
  return {
    ...readThrough(prisma, (key, factory) => cache.getOrSet({ key, tags: [key], factory }) as never),
    async endLists(lotIds) {
      await cache.deleteByTag({ tags: lotIds.map(listKey) })
    },
    async endNames(userIds) {
      await cache.deleteByTag({ tags: userIds.map(nameKey) })
    },
    forget: () => cache.clear(),
  }
}
