/** The caches of others that several comparisons open. Each loads only its own packages. */
import { Redis } from 'ioredis'

/** Longer than a run lasts. */
export const TTL_MS = 600_000

export interface PeerOptions {
  /** A `redis://` URL. */
  readonly url: string
  /** Restores dates and decimals of a value that was JSON, in place. The peer's own serializer, or JSON alone, when left out. */
  readonly revive?: (value: unknown) => unknown
  /** A memory layer for this many values, with what ends them in other processes where the peer has that. */
  readonly memory?: { readonly maxItems?: number; readonly maxSize?: string }
}

export const connectPipelined = (url: string): Redis => new Redis(url, { enableAutoPipelining: true })

/** In the layers of its guide: Redis alone, or memory and Redis with its bus. */
export async function openBentocache({ url, revive, memory }: PeerOptions) {
  const { BentoCache, bentostore } = await import('bentocache')
  const { memoryDriver } = await import('bentocache/drivers/memory')
  const { redisBusDriver, redisDriver } = await import('bentocache/drivers/redis')
  const { hostname: host, port, password, username } = new URL(url)
  const connection = { host, port: Number(port || 6379), password, username }
  const redis = redisDriver({ connection: connectPipelined(url) })
  return new BentoCache({
    default: 'store',
    ttl: TTL_MS,
    ...(revive && {
      serializer: {
        serialize: (entry: unknown) => JSON.stringify(entry),
        deserialize(text: string) {
          const entry = JSON.parse(text) as { value: unknown }
          revive(entry.value)
          return entry
        },
      },
    }),
    stores: {
      store: memory
        ? bentostore()
            .useL1Layer(memoryDriver(memory))
            .useL2Layer(redis)
            .useBus(redisBusDriver({ connection }))
        : bentostore().useL2Layer(redis),
    },
  })
}

/**
 * Over keyv and `@keyv/redis`, whose client is node-redis; serialized by JSON, which is faster than the default of keyv. With memory in
 * the two layers of its README.
 */
export async function openCacheManager({ url, revive, memory }: PeerOptions) {
  const { createKeyv, default: KeyvRedis } = await import('@keyv/redis')
  const { createCache } = await import('cache-manager')
  const { Keyv } = await import('keyv')
  const stores = memory ? [new Keyv({ store: new KeyvRedis(url) })] : [createKeyv(url)]
  if (memory) {
    const { CacheableMemory } = await import('cacheable')
    stores.unshift(new Keyv({ store: new CacheableMemory({ ttl: TTL_MS, lruSize: memory.maxItems }) }))
  }
  for (const keyv of stores) {
    keyv.serialize = (entry) => JSON.stringify(entry)
    keyv.deserialize = <T>(text: string) => {
      const entry = JSON.parse(text) as { value: T }
      revive?.(entry.value)
      return entry
    }
  }
  return createCache({ stores, ttl: TTL_MS })
}

/** @param invalidation of values by their references */
export async function openAsyncCacheDedupe(
  { url, revive = (value) => value }: PeerOptions,
  invalidation?: { readonly referencesTTL: number },
) {
  const { createCache } = await import('async-cache-dedupe')
  return createCache({
    ttl: TTL_MS / 1000,
    storage: {
      type: 'redis',
      options: { client: connectPipelined(url), ...(invalidation && { invalidation }) },
    },
    // The storage writes and parses the JSON.
    transformer: {
      serialize: (value: unknown) => value,
      deserialize(value: unknown) {
        revive(value)
        return value
      },
    },
  })
}
