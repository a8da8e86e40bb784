import { createCache } from 'async-cache-dedupe'
import { Redis } from 'ioredis'
import { readPage, type HighestBids } from '../page.ts'
import { TTL_MS, type ListsEnvironment, type OpenLists } from '../variant.ts'
import { openLoads, reviveStored } from './stored.ts'

/** Its storage of Redis. A list holds the names, and refers to their users: it coalesces reads of one key. */
export function openAsyncCacheDedupe({ prisma, valkeyUrl }: ListsEnvironment): OpenLists {
  const ttl = TTL_MS / 1000
  const load = openLoads(prisma)
  const cache = createCache({
    ttl,
    storage: {
      type: 'redis',
      options: {
        client: new Redis(valkeyUrl, { enableAutoPipelining: true }),
        invalidation: { referencesTTL: ttl },
      },
    },
    // The storage writes and parses the JSON.
    transformer: { serialize: (value: unknown) => value, deserialize: reviveStored },
  })
    .define('lots', { references: () => ['lots'] }, load.lots)
    .define('highest', { references: referencesOf }, load.bidsWithNames)
  const highest = (lotIds: readonly string[]): Promise<HighestBids[]> =>
    Promise.all(lotIds.map((id) => cache.highest(id)))
  return {
    highest,
    page: () => readPage(() => cache.lots(), highest),
    endLists: (lotIds) => cache.invalidateAll(lotIds.map(bidsReference)),
    endNames: (userIds) => cache.invalidateAll(userIds.map(userReference)),
  }
}

const bidsReference = (lotId: string): string => `bids:${lotId}`
const userReference = (userId: string): string => `user:${userId}`

const referencesOf = (lotId: string, _key: string, { bids }: HighestBids): string[] => [
  bidsReference(lotId),
  ...new Set(bids.map(({ bidderId }) => userReference(bidderId))),
]
