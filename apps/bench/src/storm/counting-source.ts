import { setTimeout as sleep } from 'node:timers/promises'
import type { AuctionItem } from '#prisma/client/client.js'

/** How long a query takes, of any number of rows. */
const QUERY_MS = 2

export interface SourceCounts {
  queries: number
  rows: number
  maxConcurrentQueries: number
}

/** Stands for the database: it answers with new rows after a while, and counts what it is asked. */
export interface CountingSource {
  /** One query. */
  load(ids: readonly string[]): Promise<AuctionItem[]>
  /** One query for one row, which is there. */
  loadOne(id: string): Promise<AuctionItem>
  /** What has been counted since the last call. */
  takeCounts(): SourceCounts
}

export function createCountingSource(lots: ReadonlyMap<string, AuctionItem>): CountingSource {
  let counts: SourceCounts = { queries: 0, rows: 0, maxConcurrentQueries: 0 }
  let concurrent = 0
  const load = async (ids: readonly string[]): Promise<AuctionItem[]> => {
    concurrent++
    counts.queries++
    counts.rows += ids.length
    counts.maxConcurrentQueries = Math.max(counts.maxConcurrentQueries, concurrent)
    await sleep(QUERY_MS)
    concurrent--
    return ids.flatMap((id) => {
      const lot = lots.get(id)
      return lot ? [{ ...lot }] : []
    })
  }
  return {
    load,
    loadOne: async (id) => (await load([id]))[0]!,
    takeCounts: () => {
      const taken = counts
      counts = { queries: 0, rows: 0, maxConcurrentQueries: 0 }
      return taken
    },
  }
}
