import DataLoader from 'dataloader'
import type { AuctionBid, AuctionItem, PrismaClient } from '#prisma/client/client.js'
import { reviveBid, reviveLot } from '../../bench/built.ts'
import { AUCTION } from '../auction.ts'
import { addNames, readPage, type HighestBids } from '../page.ts'
import type { OpenLists } from '../variant.ts'
import { bidsOf, highestBidsOf, lotsOf, namesOf } from './load.ts'

export const LOTS_KEY = `lots:${AUCTION}`
export const listKey = (lotId: string): string => `highest:${lotId}`
export const nameKey = (userId: string): string => `name:${userId}`

/** What caches of JSON hold. */
export type Stored = AuctionItem[] | AuctionBid[] | HighestBids | string

/**
 * Loads what a cache has not: of one event-loop turn in one query. After its I/O, as the answers of a store arrive one by
 * one.
 */
export function openLoads(prisma: PrismaClient) {
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
export function reviveStored<Value>(value: Value): Value {
  if (Array.isArray(value)) for (const row of value as (AuctionItem | AuctionBid)[]) reviveRow(row)
  else if (typeof value === 'object' && value !== null && 'bids' in value) reviveStored(value.bids)
  return value
}

const reviveRow = (row: AuctionItem | AuctionBid): unknown =>
  'auctionItemId' in row ? reviveBid(row) : reviveLot(row)

/** Gets a value of a cache, or loads it. */
export type GetOrLoad = <Value extends Stored>(key: string, load: () => Promise<Value>) => Promise<Value>

/**
 * Reads through a cache that is asked for one value at a time: the lots, the bids of each lot, and the name of each user,
 * whom a change of the name ends everywhere.
 */
export function readThrough(prisma: PrismaClient, getOrLoad: GetOrLoad): Pick<OpenLists, 'page' | 'highest'> {
  const load = openLoads(prisma)
  const highest = async (lotIds: readonly string[]): Promise<HighestBids[]> =>
    addNames(await Promise.all(lotIds.map((id) => getOrLoad(listKey(id), () => load.bids(id)))), (userIds) =>
      Promise.all(userIds.map((id) => getOrLoad(nameKey(id), () => load.name(id)))),
    )
  return { highest, page: () => readPage(() => getOrLoad(LOTS_KEY, load.lots), highest) }
}
