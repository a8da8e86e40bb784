import * as peers from '../../../harness/peers.ts'
import type { PageEnvironment, PageRows } from '../page-rows.ts'
import { reviveBid, reviveHead, reviveLot, reviveUser } from '../revive.ts'
import { findUnique } from './prisma.ts'

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

export async function openCacheManager(environment: PageEnvironment): Promise<PageRows> {
  const cache = await peers.openCacheManager({ url: environment.valkeyUrl, memory: { maxItems: 5_000 } })
  return wrapped(environment, (key, load) => cache.wrap(key, load))
}

export async function openBentocache(environment: PageEnvironment): Promise<PageRows> {
  const cache = await peers.openBentocache({ url: environment.valkeyUrl, memory: { maxSize: '10mb' } })
  return wrapped(environment, (key, load) => cache.getOrSet({ key, factory: async () => load() }))
}
