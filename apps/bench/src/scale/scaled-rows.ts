import { type } from 'arktype'
import { defineModelCache, type ModelCacheDefinition } from 'model-cache'
import type { AuctionItem } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { decimal, Decimal } from '../codec/fixtures/fixture.ts'
import { auctionItem, auctionItemSchema } from '../codec/fixtures/lots.ts'

export interface ScaledRow {
  readonly id: string
}

type Definition = ModelCacheDefinition<ScaledRow, string>

/** Rows of one kind: any number of them, by their place. */
export interface ScaledRows {
  define(name: string): Definition
  rowAt(place: number): ScaledRow
}

export const idAt = (place: number): string => `row-${String(place).padStart(12, '0')}`

const TTL = '2h'

/** @param bids of each row; lots of 2 kB when left out */
export function scaledRows(bids?: number): ScaledRows {
  return bids === undefined ? lots : rowsOfBids(bids)
}

const lots: ScaledRows = {
  define: (name) =>
    defineModelCache<AuctionItem>()({
      model: 'AuctionItem',
      name,
      schema: auctionItemSchema,
      id: 'id',
      ttl: TTL,
    }) as unknown as Definition,
  rowAt(place) {
    const rows = auctionItem.rows as readonly AuctionItem[]
    return { ...rows[place % rows.length]!, id: idAt(place) }
  },
}

const bidSchema = type({ bidderId: 'string', amount: decimal, placedAt: 'Date', note: 'string | null' })
const bidsSchema = type({ id: 'string', bids: bidSchema.array() })

function rowsOfBids(count: number): ScaledRows {
  const random = createRandom('model-cache bench scale')
  const bids = Array.from({ length: count }, () => ({
    bidderId: random.uuid(),
    amount: new Decimal(random.integer(10, 9_999)).plus('0.50'),
    placedAt: random.date(new Date('2026-01-01'), new Date('2026-11-01')),
    note: random.chance(0.8) ? 'the bidder will collect it himself on Sunday' : null,
  }))
  return {
    define: (name) =>
      defineModelCache<typeof bidsSchema.infer>()({
        model: 'AuctionItem',
        name,
        schema: bidsSchema,
        id: 'id',
        ttl: TTL,
        largePayloadBytes: 10_000_000,
      }) as unknown as Definition,
    rowAt: (place) => ({ id: idAt(place), bids }) as ScaledRow,
  }
}
