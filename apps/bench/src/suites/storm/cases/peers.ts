import type { AuctionItem } from '#prisma/client/client.js'
import {
  connectPipelined,
  openAsyncCacheDedupe,
  openBentocache,
  openCacheManager,
  TTL_MS,
} from '../../../harness/peers.ts'
import type { BurstEnvironment, OpenCase, StormCase } from '../storm-case.ts'
import { reviveFields } from './revive-fields.ts'

async function openLayeredLoader({ url, source }: BurstEnvironment): Promise<OpenCase> {
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
    asyncCache: new RevivingRedisCache(connectPipelined(url), { json: true, ttlInMsecs: TTL_MS }),
    dataSourceGetOneFn: (id) => source.loadOne(id),
  })
  return { get: (id) => loader.get(id) }
}

/** On a real client whose queries the source answers before they become SQL: it never connects. */
async function openPrismaExtensionRedis({ url, source }: BurstEnvironment): Promise<OpenCase> {
  const { PrismaPg } = await import('@prisma/adapter-pg')
  const { PrismaExtensionRedis } = await import('prisma-extension-redis')
  const { PrismaClient } = await import('#prisma/client/client.js')
  const adapter = new PrismaPg({ connectionString: 'postgresql://127.0.0.1:1/nowhere' })
  const transformer = {
    serialize: (context: unknown) => JSON.stringify(context),
    deserialize(text: unknown) {
      const context = JSON.parse(text as string) as { result: unknown }
      reviveFields(context.result)
      return context
    },
  }
  const config = { type: 'STRING', ttl: TTL_MS / 1000, stale: 0, auto: true, transformer } as const
  const prisma = new PrismaClient({ adapter })
    .$extends(PrismaExtensionRedis({ client: connectPipelined(url), config }))
    .$extends({
      query: { auctionItem: { findUnique: ({ args }) => source.loadOne(args.where.id!) as never } },
    })
  return { get: (id) => prisma.auctionItem.findUnique({ where: { id } }) as Promise<unknown> }
}

const JSON_PEER =
  'stores JSON and restores dates and decimals in place, by a loop over the declared fields; ioredis pipelines the ' +
  'commands of one turn; no memory layer'

const peer = (name: string, open: StormCase['open'], note = JSON_PEER): StormCase => ({
  name,
  note,
  isPeer: true,
  open,
})

export const peers: readonly StormCase[] = [
  peer('bentocache', async ({ url, source }) => {
    const cache = await openBentocache({ url, revive: reviveFields })
    return { get: (id) => cache.getOrSet({ key: id, ttl: TTL_MS, factory: () => source.loadOne(id) }) }
  }),
  peer(
    'cache-manager',
    async ({ url, source }) => {
      const cache = await openCacheManager({ url, revive: reviveFields })
      return { get: (id) => cache.wrap(id, () => source.loadOne(id)) }
    },
    'over keyv and @keyv/redis, whose client is node-redis; stores JSON, restored as in the others; no memory layer',
  ),
  peer('async-cache-dedupe', async ({ url, source }) => {
    const cache = (await openAsyncCacheDedupe({ url, revive: reviveFields })).define('lot', (id: string) =>
      source.loadOne(id),
    )
    return { get: (id) => cache.lot(id) }
  }),
  peer('layered-loader', openLayeredLoader),
  peer(
    'prisma-extension-redis',
    openPrismaExtensionRedis,
    `${JSON_PEER}; findUnique on a Prisma client whose queries the source answers before they become SQL, so its ` +
      'misses lack what Prisma takes for a query',
  ),
]
