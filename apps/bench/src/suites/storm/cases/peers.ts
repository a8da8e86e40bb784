import { Redis } from 'ioredis'
import type { AuctionItem } from '#prisma/client/client.js'
import { Decimal } from '../../../harness/fixtures/fixture.ts'
import { auctionItem } from '../../../harness/fixtures/models.ts'
import { TTL_MS, type OpenCase, type BurstEnvironment } from './storm-case.ts'

const PLACES = Object.entries(auctionItem.places)

/**
 * Restores dates and decimals of a parsed lot in place: what one would write by hand for a cache that stores JSON, and
 * faster than a reviver, which JSON.parse calls for every key.
 */
export function reviveFields(lot: unknown): void {
  const fields = lot as Record<string, unknown>
  for (const [name, kind] of PLACES) {
    const text = fields[name]
    if (typeof text === 'string') fields[name] = kind === 'date' ? new Date(text) : new Decimal(text)
  }
}

const connect = (url: string): Redis => new Redis(url, { enableAutoPipelining: true })

export async function openBentocache({ url, source }: BurstEnvironment): Promise<OpenCase> {
  const { BentoCache, bentostore } = await import('bentocache')
  const { redisDriver } = await import('bentocache/drivers/redis')
  const cache = new BentoCache({
    default: 'redis',
    stores: { redis: bentostore().useL2Layer(redisDriver({ connection: connect(url) })) },
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

export async function openCacheManager({ url, source }: BurstEnvironment): Promise<OpenCase> {
  const { createKeyv } = await import('@keyv/redis')
  const { createCache } = await import('cache-manager')
  const keyv = createKeyv(url)
  keyv.serialize = (entry) => JSON.stringify(entry)
  keyv.deserialize = <T>(text: string) => {
    const entry = JSON.parse(text) as { value: T }
    reviveFields(entry.value)
    return entry
  }
  const cache = createCache({ stores: [keyv], ttl: TTL_MS })
  return { get: (id) => cache.wrap(id, () => source.loadOne(id)) }
}

export async function openAsyncCacheDedupe({ url, source }: BurstEnvironment): Promise<OpenCase> {
  const { createCache } = await import('async-cache-dedupe')
  const cache = createCache({
    ttl: TTL_MS / 1000,
    storage: { type: 'redis', options: { client: connect(url) } },
    // The storage writes and parses the JSON.
    transformer: {
      serialize: (row: unknown) => row,
      deserialize(row: unknown) {
        reviveFields(row)
        return row
      },
    },
  }).define('lot', (id: string) => source.loadOne(id))
  return { get: (id) => cache.lot(id) }
}

export async function openLayeredLoader({ url, source }: BurstEnvironment): Promise<OpenCase> {
  const { Loader, RedisCache } = await import('layered-loader')
  /** Its JSON option has no reviver. */
  class RevivingRedisCache extends RedisCache<AuctionItem> {
    override async get(key: string): Promise<AuctionItem | undefined> {
      const lot = await super.get(key)
      if (lot) reviveFields(lot)
      return lot
    }
  }
  const loader = new Loader<AuctionItem>({
    asyncCache: new RevivingRedisCache(connect(url), { json: true, ttlInMsecs: TTL_MS }),
    dataSourceGetOneFn: (id) => source.loadOne(id),
  })
  return { get: (id) => loader.get(id) }
}

/** On a real client whose queries the source answers before they become SQL: it never connects. */
export async function openPrismaExtensionRedis({ url, source }: BurstEnvironment): Promise<OpenCase> {
  const { PrismaPg } = await import('@prisma/adapter-pg')
  const { PrismaExtensionRedis } = await import('prisma-extension-redis')
  const { PrismaClient } = await import('#prisma/client/client.js')
  const adapter = new PrismaPg({ connectionString: 'postgresql://127.0.0.1:1/nowhere' })
  const prisma = new PrismaClient({ adapter })
    .$extends(
      PrismaExtensionRedis({
        client: connect(url),
        config: {
          type: 'STRING',
          ttl: TTL_MS / 1000,
          stale: 0,
          auto: true,
          transformer: {
            serialize: (context) => JSON.stringify(context),
            deserialize(text) {
              const context = JSON.parse(text as string) as { result: unknown }
              reviveFields(context.result)
              return context
            },
          },
        },
      }),
    )
    .$extends({
      query: { auctionItem: { findUnique: ({ args }) => source.loadOne(args.where.id!) as never } },
    })
  return { get: (id) => prisma.auctionItem.findUnique({ where: { id } }) as Promise<unknown> }
}
