import DataLoader from 'dataloader'
import type { AuctionBid, AuctionItem, PrismaClient } from '#prisma/client/client.js'
import { reviveBid, reviveLot } from '../../bench/built.ts'
import * as peers from '../../bench/peers.ts'
import { AUCTION } from '../auction.ts'
import { addNames, readPage, type HighestBids } from '../page.ts'
import { MAX_ENTRIES, TTL_MS, type ListsEnvironment, type OpenLists } from '../variant.ts'
import { bidsOf, highestBidsOf, lotsOf, namesOf } from './load.ts'

const LOTS_KEY = `lots:${AUCTION}`
const listKey = (lotId: string): string => `highest:${lotId}`
const nameKey = (userId: string): string => `name:${userId}`

/** What caches of JSON hold. */
type Stored = AuctionItem[] | AuctionBid[] | HighestBids | string

/**
 * Loads what a cache has not: of one event-loop turn in one query. After its I/O, as the answers of a store arrive one by
 * one.
 */
function openLoads(prisma: PrismaClient) {
  const batched = <Value>(load: (prisma: PrismaClient, keys: readonly string[]) => Promise<Value[]>) => {
    const loader = new DataLoader((keys: readonly string[]) => load(prisma, keys), {
      cache: false,
      batchScheduleFn: (dispatch) => void setImmediate(dispatch),
    })
    return (key: string): Promise<Value> => loader.load(key)
  }
  return {
    lots: () => lotsOf(prisma),
    bids: batched(bidsOf),
    name: batched(namesOf),
    bidsWithNames: batched(highestBidsOf),
  }
}

/** Restores dates and decimals of a value that was JSON, in place. Leaves all other values as they are. */
function reviveStored<Value>(value: Value): Value {
  if (Array.isArray(value)) for (const row of value as (AuctionItem | AuctionBid)[]) reviveRow(row)
  else if (typeof value === 'object' && value !== null && 'bids' in value) reviveStored(value.bids)
  return value
}

const reviveRow = (row: AuctionItem | AuctionBid): unknown =>
  'auctionItemId' in row ? reviveBid(row) : reviveLot(row)

/** Gets a value of a cache, or loads it. */
type GetOrLoad = <Value extends Stored>(key: string, load: () => Promise<Value>) => Promise<Value>

/**
 * Reads through a cache that is asked for one value at a time: the lots, the bids of each lot, and the name of each user,
 * whom a change of the name ends everywhere.
 */
function readThrough(prisma: PrismaClient, getOrLoad: GetOrLoad): Pick<OpenLists, 'page' | 'highest'> {
  const load = openLoads(prisma)
  const highest = async (lotIds: readonly string[]): Promise<HighestBids[]> =>
    addNames(await Promise.all(lotIds.map((id) => getOrLoad(listKey(id), () => load.bids(id)))), (userIds) =>
      Promise.all(userIds.map((id) => getOrLoad(nameKey(id), () => load.name(id)))),
    )
  return { highest, page: () => readPage(() => getOrLoad(LOTS_KEY, load.lots), highest) }
}

/** The two layers and the bus of its guide to several tiers; each value under a tag. */
export async function openBentocache({ prisma, valkeyUrl }: ListsEnvironment): Promise<OpenLists> {
  const memory = { maxSize: '100mb', maxItems: MAX_ENTRIES }
  const cache = await peers.openBentocache({ url: valkeyUrl, revive: reviveStored, memory })
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

/** Without its memory layer: no bus ends the values in the memory of other processes. */
const openCache = ({ valkeyUrl }: ListsEnvironment) =>
  peers.openCacheManager({ url: valkeyUrl, revive: reviveStored })

const ends = (cache: Awaited<ReturnType<typeof openCache>>): Pick<OpenLists, 'endLists' | 'endNames'> => ({
  async endLists(lotIds) {
    await cache.mdel(lotIds.map(listKey))
  },
  async endNames(userIds) {
    await cache.mdel(userIds.map(nameKey))
  },
})

/** `wrap` for each value: it coalesces reads of one key. */
export async function openWrap(environment: ListsEnvironment): Promise<OpenLists> {
  const cache = await openCache(environment)
  return { ...readThrough(environment.prisma, (key, load) => cache.wrap(key, load)), ...ends(cache) }
}

/** `mget` for what a request reads, one query for those that it does not return, and `mset` of these. */
export async function openMget(environment: ListsEnvironment): Promise<OpenLists> {
  const { prisma } = environment
  const cache = await openCache(environment)

  async function readMany<Value>(
    keyOf: (id: string) => string,
    ids: readonly string[],
    load: (prisma: PrismaClient, missing: readonly string[]) => Promise<readonly Value[]>,
  ): Promise<Value[]> {
    const found = await cache.mget<Value>(ids.map(keyOf))
    const missing = ids.filter((_, index) => found[index] === undefined)
    if (missing.length === 0) return found as Value[]
    const values = await load(prisma, missing)
    await cache.mset(values.map((value, index) => ({ key: keyOf(missing[index]!), value })))
    const loaded = new Map(missing.map((id, index) => [id, values[index]!]))
    return ids.map((id, index) => found[index] ?? loaded.get(id)!)
  }

  const highest = async (lotIds: readonly string[]): Promise<HighestBids[]> =>
    addNames(await readMany(listKey, lotIds, bidsOf), (userIds) => readMany(nameKey, userIds, namesOf))
  return {
    highest,
    page: () => readPage(() => cache.wrap(LOTS_KEY, () => lotsOf(prisma)), highest),
    ...ends(cache),
  }
}

/** Its storage of Redis. A list holds the names, and refers to their users: it coalesces reads of one key. */
export async function openAsyncCacheDedupe({ prisma, valkeyUrl }: ListsEnvironment): Promise<OpenLists> {
  const load = openLoads(prisma)
  const options = { url: valkeyUrl, revive: reviveStored }
  const cache = (await peers.openAsyncCacheDedupe(options, { referencesTTL: TTL_MS / 1000 }))
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
