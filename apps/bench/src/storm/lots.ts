import type { AuctionItem } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { auctionItem } from '../codec/fixtures/lots.ts'
import type { Workload } from './storm-measurements.ts'

export const USERS = 50
/** As many as the silent auction had that this project began with. */
export const LOTS_PER_USER = 107

/** As many different lots as the users can ask for, by id, the same in every process. */
export function buildLots(): ReadonlyMap<string, AuctionItem> {
  const random = createRandom('model-cache bench storm')
  const rows = auctionItem.rows as readonly AuctionItem[]
  return new Map(
    Array.from({ length: USERS * LOTS_PER_USER }, (_, index) => {
      const row = { ...rows[index % rows.length]!, id: random.uuid() }
      return [row.id, row]
    }),
  )
}

/** The ids that each user asks for. */
export function idsByUser(ids: readonly string[], workload: Workload): readonly (readonly string[])[] {
  return Array.from({ length: USERS }, (_, user) => {
    const start = workload === 'same' ? 0 : user * LOTS_PER_USER
    return ids.slice(start, start + LOTS_PER_USER)
  })
}
