import { BentoCache, bentostore } from 'bentocache'
import { redisDriver } from 'bentocache/drivers/redis'
import { Redis } from 'ioredis'
import { reviveFields } from './revive-fields.ts'
import { TTL_MS, type OpenCase, type StormEnvironment } from './storm-case.ts'

export async function openBentocache({ url, source }: StormEnvironment): Promise<OpenCase> {
  const connection = new Redis(url, { enableAutoPipelining: true })
  const cache = new BentoCache({
    default: 'redis',
    stores: { redis: bentostore().useL2Layer(redisDriver({ connection })) },
    serializer: {
      serialize: (entry) => JSON.stringify(entry),
      deserialize(text: string) {
        const entry = JSON.parse(text) as { value: unknown }
        reviveFields(entry.value)
        return entry
      },
    },
  })
  return { get: (id) => cache.getOrSet({ key: id, ttl: TTL_MS, factory: () => source.loadOne(id) }) }
}
