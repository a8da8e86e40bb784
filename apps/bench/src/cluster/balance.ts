import type { Cluster } from 'ioredis'
import slotOf from 'cluster-key-slot'
import { createModelCache, type Fill, MemoryStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { defineLots } from './define-lots.ts'

/** Names of models: their buckets have other slots. */
export const MODELS = ['AuctionItem', 'AuctionBid', 'Fundraiser', 'GuestUser', 'TicketOrder']

/** The part of each model's rows that is on the node with the most of them. */
export async function fullestShares(
  rows: readonly AuctionItem[],
  buckets: number,
  cluster: Cluster,
): Promise<number[]> {
  const shares: number[] = []
  for (const name of MODELS) {
    const store = new KeyCollector()
    const source = { load: async () => [], mayBlameOneId: () => false }
    await createModelCache(defineLots(name), { store, source, buckets }).prime(rows)
    const byNode = Map.groupBy(store.keys, (key) => cluster.slots[slotOf(key)]![0]!)
    shares.push(Math.max(...Array.from(byNode.values(), ({ length }) => length)) / rows.length)
  }
  return shares
}

class KeyCollector extends MemoryStore {
  readonly keys: string[] = []

  override async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    for (const { key } of fills) this.keys.push(key)
    return fills.map(() => true)
  }
}
