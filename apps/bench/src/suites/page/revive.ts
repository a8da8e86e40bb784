import type { AuctionBid, AuctionItem, Prisma, User } from '#prisma/client/client.js'
import { Decimal } from '../../harness/fixtures/fixture.ts'
import type { Head } from './page-rows.ts'

type FieldsOf<Row, Value> = {
  [Field in keyof Row]-?: NonNullable<Row[Field]> extends Value ? Field : never
}[keyof Row]

/**
 * Restores dates and decimals of a row that was JSON, in place: what one writes by hand, and faster than a reviver of
 * JSON.parse. Leaves a row as it is that comes from the database.
 */
function reviver<Row extends object>(
  dates: readonly FieldsOf<Row, Date>[],
  decimals: readonly FieldsOf<Row, Prisma.Decimal>[],
) {
  return (row: Row): Row => {
    const fields = row as Record<PropertyKey, unknown>
    for (const name of dates) {
      const text = fields[name]
      if (typeof text === 'string') fields[name] = new Date(text)
    }
    for (const name of decimals) {
      const text = fields[name]
      if (typeof text === 'string') fields[name] = new Decimal(text)
    }
    return row
  }
}

export const reviveHead = reviver<Head>(['startsAt', 'endsAt'], ['goalAmount', 'raisedAmount'])

export const reviveLot = reviver<AuctionItem>(
  ['startsAt', 'endsAt', 'lastBidAt', 'createdAt', 'updatedAt'],
  [
    'fairMarketValue',
    'startingPrice',
    'minimumIncrement',
    'minimumNextBid',
    'buyNowPrice',
    'reservePrice',
    'currentBid',
  ],
)

export const reviveBid = reviver<AuctionBid>(['placedAt', 'createdAt'], ['amount', 'minimumNextBid'])

export const reviveUser = reviver<User>(['lastSeenAt', 'createdAt', 'updatedAt'], ['lifetimeGiven'])
