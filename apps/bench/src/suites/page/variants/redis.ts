import DataLoader from 'dataloader'
import { Redis } from 'ioredis'
import type { AuctionBid, AuctionItem, User } from '#prisma/client/client.js'
import type { Head, OpenPageRows, PageEnvironment, PageRows } from '../page-rows.ts'
import { reviveBid, reviveHead, reviveLot, reviveUser } from '../revive.ts'
import { bidsOf, lotsOf, usersOf } from './load.ts'
import { TTL_MS } from '../../../harness/peers.ts'
import { findUnique } from './prisma.ts'

/** By hand, per resolver: one MGET for all parents of a request, JSON, misses by one query. */
export function openRedis({ prisma, valkeyUrl }: PageEnvironment): OpenPageRows {
  const redis = new Redis(valkeyUrl)
  const plain = findUnique(prisma)

  async function read<Value>(
    prefix: string,
    ids: readonly string[],
    load: (missing: string[]) => Promise<readonly Value[]>,
    revive: (value: NonNullable<Value>) => Value,
  ): Promise<Value[]> {
    const keys = ids.map((id) => `${prefix}:${id}`)
    const texts = await redis.mget(keys)
    const values = texts.map((text) => {
      const value = text === null ? undefined : (JSON.parse(text) as Value)
      return value ? revive(value) : value
    })
    const missing = ids.filter((_, index) => values[index] === undefined)
    if (missing.length === 0) return values as Value[]
    const loaded = new Map((await load(missing)).map((value, index) => [missing[index]!, value]))
    const pipeline = redis.pipeline()
    for (const [id, value] of loaded) {
      pipeline.set(`${prefix}:${id}`, JSON.stringify(value), 'PX', TTL_MS)
    }
    await pipeline.exec()
    return ids.map((id, index) => (loaded.has(id) ? loaded.get(id)! : values[index]!))
  }

  const reviveLots = (lots: AuctionItem[]): AuctionItem[] => lots.map(reviveLot)
  const reviveBids = (bids: AuctionBid[]): AuctionBid[] => bids.map(reviveBid)
  return () => {
    const bids = new DataLoader((ids: readonly string[]) =>
      read('bids', ids, (missing) => bidsOf(prisma, missing), reviveBids),
    )
    const users = new DataLoader((ids: readonly string[]) =>
      read<User | null>('user', ids, (missing) => usersOf(prisma, missing), reviveUser),
    )
    return {
      async head(id) {
        const load = async (): Promise<(Head | null)[]> => [await plain.head(id)]
        return (await read<Head | null>('fundraiser', [id], load, reviveHead))[0]!
      },
      async lots({ id }) {
        return (await read('lots', [id], (missing) => lotsOf(prisma, missing), reviveLots))[0]!
      },
      bids: ({ id }) => bids.load(id),
      bidder: ({ bidderId }) => users.load(bidderId),
    }
  }
}

interface StoredPage {
  readonly head: Head
  readonly lots: AuctionItem[]
  /** In the order of the lots. */
  readonly bids: AuctionBid[][]
  readonly users: (User | null)[]
}

/** By hand, for this page alone: all its rows in one value, each of them once. Any write to any of them ends it. */
export function openRedisPage({ prisma, valkeyUrl }: PageEnvironment): OpenPageRows {
  const redis = new Redis(valkeyUrl)
  const plain = findUnique(prisma)

  async function read(id: string): Promise<StoredPage | null> {
    const key = `page:${id}`
    const text = await redis.get(key)
    if (text !== null) return revived(JSON.parse(text) as StoredPage)
    const head = await plain.head(id)
    if (!head) return null
    const lots = [...(await plain.lots(head))]
    const bids = await bidsOf(
      prisma,
      lots.map((lot) => lot.id),
    )
    const users = await usersOf(prisma, [...new Set(bids.flat().map(({ bidderId }) => bidderId))])
    const page = { head, lots, bids, users }
    await redis.set(key, JSON.stringify(page), 'PX', TTL_MS)
    return page
  }

  return () => {
    const bidsByLot = new Map<string, AuctionBid[]>()
    const usersById = new Map<string, User>()
    let lots: AuctionItem[] = []
    return {
      async head(id) {
        const page = await read(id)
        if (!page) return null
        lots = page.lots
        page.lots.forEach((lot, index) => bidsByLot.set(lot.id, page.bids[index]!))
        for (const user of page.users) if (user) usersById.set(user.id, user)
        return page.head
      },
      lots: () => lots,
      bids: ({ id }) => bidsByLot.get(id)!,
      bidder: ({ bidderId }) => usersById.get(bidderId) ?? null,
    } satisfies PageRows
  }
}

function revived(page: StoredPage): StoredPage {
  reviveHead(page.head)
  page.lots.forEach(reviveLot)
  page.bids.flat().forEach(reviveBid)
  for (const user of page.users) if (user) reviveUser(user)
  return page
}
