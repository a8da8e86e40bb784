import { Decimal, type Fixture } from '../fixtures/fixture.ts'
import { auctionBid, auctionItem, fundraiser, user } from '../fixtures/models.ts'

/**
 * Restores dates and decimals of a row that was JSON, in place: what one writes by hand for a cache that stores JSON, and
 * faster than a reviver, which JSON.parse calls for every key. Leaves a row as it is that comes from the database.
 */
function reviverOf({ places }: Fixture) {
  const kinds = Object.entries(places)
  return <Row extends object>(row: Row): Row => {
    const fields = row as Record<string, unknown>
    for (const [name, kind] of kinds) {
      const text = fields[name]
      if (typeof text === 'string') fields[name] = kind === 'date' ? new Date(text) : new Decimal(text)
    }
    return row
  }
}

/** Of rows without a bigint and bytes. */
export const reviveFundraiser = reviverOf(fundraiser)
export const reviveLot = reviverOf(auctionItem)
export const reviveBid = reviverOf(auctionBid)
export const reviveUser = reviverOf(user)
