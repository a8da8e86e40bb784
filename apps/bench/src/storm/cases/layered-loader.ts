import { Redis } from 'ioredis'
import { Loader, RedisCache } from 'layered-loader'
import type { AuctionItem } from '#prisma/client/client.js'
import { reviveFields } from './revive-fields.ts'
import { TTL_MS, type OpenCase, type StormEnvironment } from './storm-case.ts'

/** Its JSON option knows no reviver, so the cache is one that revives what it has parsed. */
class RevivingRedisCache extends RedisCache<AuctionItem> {
  override async get(key: string): Promise<AuctionItem | undefined> {
    const lot = await super.get(key)
    if (lot) reviveFields(lot)
    return lot
  }
}

export async function openLayeredLoader({ url, source }: StormEnvironment): Promise<OpenCase> {
  const client = new Redis(url, { enableAutoPipelining: true })
  const loader = new Loader<AuctionItem>({
    asyncCache: new RevivingRedisCache(client, { json: true, ttlInMsecs: TTL_MS }),
    dataSourceGetOneFn: (id) => source.loadOne(id),
  })
  return { get: (id) => loader.get(id) }
}
