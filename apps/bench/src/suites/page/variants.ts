import DataLoader from 'dataloader'
import { Redis } from 'ioredis'
import type { AuctionBid, AuctionItem, PrismaClient, User } from '#prisma/client/client.js'
import { DEMO_FUNDRAISER_ID } from '#prisma/demo/fundraiser.js'
import { reviveBid, reviveFundraiser, reviveLot, reviveUser } from '../../harness/codecs/revive.ts'
import type { Variant } from '../../harness/comparison.ts'
import { openBentocache, openCacheManager, TTL_MS } from '../../harness/peers.ts'
import { openInjected, openReads } from './model-cache.ts'
import { batchesOf, existing, findUnique, idsOf, include, listsOfIds } from './rows.ts'
import type { Batches, Head, PageEnvironment, PageRows } from './rows.ts'

/** One way to read the rows of the same application. */
export interface PageVariant extends Variant {
  readonly note: string
  /** Returns what opens the rows of one request. */
  open(environment: PageEnvironment): Promise<() => PageRows>
}

const l1 = { l1: { ttl: TTL_MS, maxEntries: 5_000 } }

export const allVariants: readonly PageVariant[] = [
  {
    name: 'Prisma',
    note:
      'resolvers as in its guide to the n+1 problem: findUnique per row, lists of rows by the fluent API, which Prisma ' +
      'joins per tick; the one that the others are compared with',
    open: async ({ prisma }) => always(findUnique(prisma)),
  },
  {
    name: 'Prisma include',
    note: 'one findUnique with include for the page; resolvers look into its result',
    open: async ({ prisma }) => always(include(prisma)),
  },
  {
    name: 'DataLoader',
    isPeer: true,
    note: 'Prisma behind new loaders for each request, which read each user once; one findMany per batch',
    open: async ({ prisma }) => throughLoaders(batchesOf(prisma)),
  },
  {
    name: 'cache-manager',
    isPeer: true,
    note: 'the result of each resolver in wrap, in the two layers of its README: CacheableMemory and @keyv/redis',
    async open({ prisma, valkeyUrl: url }) {
      const cache = await openCacheManager({ url, memory: { maxItems: 5_000 } })
      return wrapped(prisma, (key, load) => cache.wrap(key, load))
    },
  },
  {
    name: 'bentocache',
    isPeer: true,
    note: 'the result of each resolver in getOrSet, in the two layers of its guide: memory and Redis, with its bus',
    async open({ prisma, valkeyUrl: url }) {
      const cache = await openBentocache({ url, memory: { maxSize: '10mb' } })
      return wrapped(prisma, (key, load) => cache.getOrSet({ key, factory: async () => load() }))
    },
  },
  {
    name: 'Redis',
    isPeer: true,
    note: 'by hand: JSON per result of a resolver, one MGET per batch of DataLoader, dates and decimals restored in place',
    open: openRedis,
  },
  {
    name: 'Redis page',
    isPeer: true,
    note: 'by hand: all rows of the page as one JSON value, which any write to one of them would have to end',
    open: openRedisPage,
  },
  {
    name: 'model-cache',
    note: 'injected caches in the resolvers, as in the demo, without L1',
    open: async (environment) => always(await openInjected(environment, {})),
  },
  {
    name: 'model-cache L1',
    note: 'the same with L1, the second layer of the peers',
    open: async (environment) => always(await openInjected(environment, l1)),
  },
  {
    name: 'model-cache shared',
    note: "the same with L1 and rows: 'shared'",
    open: async (environment) => always(await openInjected(environment, { ...l1, rows: 'shared' })),
  },
  {
    name: 'model-cache reads',
    note:
      "the resolvers of Prisma unchanged, and a client with `reads: 'all'`, with L1 and the two lists that the command " +
      '`suggest` prints',
    open: async (environment) => always(findUnique(await openReads(environment, l1))),
  },
  {
    name: 'model-cache reads ids',
    note: 'the same client under resolvers that query the ids of a list, and then its rows by id',
    open: async (environment) => always(listsOfIds(await openReads(environment, l1))),
  },
  {
    name: 'floor',
    note: 'all rows in the memory of the process, never read again: what the application itself takes',
    async open({ prisma }) {
      const page = await loadPage(prisma, DEMO_FUNDRAISER_ID)
      return always({ head: () => page.head, ...rowsOf(page) })
    },
  },
]

/** For variants that keep nothing per request. */
const always = (rows: PageRows) => () => rows

/** New loaders for each request, as their documentation asks for: they also keep its rows. */
const throughLoaders = (batches: Batches) => (): PageRows => {
  const heads = new DataLoader(batches.heads)
  const lots = new DataLoader(batches.lots)
  const bids = new DataLoader(batches.bids)
  const users = new DataLoader(batches.users)
  return {
    head: (id) => heads.load(id),
    lots: ({ id }) => lots.load(id),
    bids: ({ id }) => bids.load(id),
    bidder: ({ bidderId }) => users.load(bidderId),
  }
}

/** Restores what was JSON. */
const revive = {
  head: (head: Head | null) => head && reviveFundraiser(head),
  lots: (lots: readonly AuctionItem[]) => lots.map(reviveLot),
  bids: (bids: readonly AuctionBid[]) => bids.map(reviveBid),
  user: (user: User | null) => user && reviveUser(user),
}

type Wrap = <Value>(key: string, load: () => Value | Promise<Value>) => Promise<Value>

/** What each resolver of plain Prisma returns, wrapped by a cache. */
function wrapped(prisma: PrismaClient, wrap: Wrap): () => PageRows {
  const rows = findUnique(prisma)
  return always({
    head: async (id) => revive.head(await wrap(`fundraiser:${id}`, () => rows.head(id))),
    lots: async (head) => revive.lots(await wrap(`lots:${head.id}`, () => rows.lots(head))),
    bids: async (lot) => revive.bids(await wrap(`bids:${lot.id}`, () => rows.bids(lot))),
    bidder: async (bid) => revive.user(await wrap(`user:${bid.bidderId}`, () => rows.bidder(bid))),
  })
}

async function openRedis({ prisma, valkeyUrl }: PageEnvironment): Promise<() => PageRows> {
  const redis = new Redis(valkeyUrl)
  const { heads, lots, bids, users } = batchesOf(prisma)
  /** Reads with one MGET what is stored, and the rest with one query. */
  const stored = <Value>(
    prefix: string,
    load: (ids: readonly string[]) => Promise<Value[]>,
    revive: (value: Value) => Value,
  ) => {
    const keyOf = (id: string): string => `${prefix}:${id}`
    return async (ids: readonly string[]): Promise<Value[]> => {
      const texts = await redis.mget(ids.map(keyOf))
      const missing = ids.filter((_, index) => texts[index] === null)
      const loaded = missing.length === 0 ? [] : await load(missing)
      const pipeline = redis.pipeline()
      for (const [i, id] of missing.entries())
        pipeline.set(keyOf(id), JSON.stringify(loaded[i]), 'PX', TTL_MS)
      if (missing.length > 0) await pipeline.exec()
      return texts.map((text) => (text === null ? loaded.shift()! : revive(JSON.parse(text) as Value)))
    }
  }
  return throughLoaders({
    heads: stored('fundraiser', heads, revive.head),
    lots: stored('lots', lots, revive.lots),
    bids: stored('bids', bids, revive.bids),
    users: stored('user', users, revive.user),
  })
}

async function openRedisPage({ prisma, valkeyUrl }: PageEnvironment): Promise<() => PageRows> {
  const redis = new Redis(valkeyUrl)
  async function read(id: string): Promise<LoadedPage> {
    const key = `page:${id}`
    const text = await redis.get(key)
    if (text !== null) {
      const { head, lots, bids, users } = JSON.parse(text) as LoadedPage
      return {
        head: reviveFundraiser(head),
        lots: revive.lots(lots),
        bids: bids.map(revive.bids),
        users: users.map(reviveUser),
      }
    }
    const page = await loadPage(prisma, id)
    await redis.set(key, JSON.stringify(page), 'PX', TTL_MS)
    return page
  }
  return () => {
    let rows: ReturnType<typeof rowsOf>
    return {
      async head(id) {
        const page = await read(id)
        rows = rowsOf(page)
        return page.head
      },
      lots: () => rows.lots(),
      bids: (lot) => rows.bids(lot),
      bidder: (bid) => rows.bidder(bid),
    }
  }
}

type LoadedPage = Awaited<ReturnType<typeof loadPage>>

/** All rows of a page, each of them once; the bids in the order of the lots. */
async function loadPage(prisma: PrismaClient, id: string) {
  const batches = batchesOf(prisma)
  const [head] = await batches.heads([id])
  const [lots] = await batches.lots([id])
  const bids = await batches.bids(idsOf(lots))
  const users = await batches.users([...new Set(bids.flat().map(({ bidderId }) => bidderId))])
  return { head: head!, lots: lots!, bids, users: existing(users) }
}

function rowsOf({ lots, bids, users }: LoadedPage) {
  const bidsByLot = new Map(lots.map(({ id }, index) => [id, bids[index]!]))
  const usersById = new Map(users.map((user) => [user.id, user]))
  return {
    lots: () => lots,
    bids: ({ id }: AuctionItem) => bidsByLot.get(id)!,
    bidder: ({ bidderId }: AuctionBid) => usersById.get(bidderId) ?? null,
  }
}
