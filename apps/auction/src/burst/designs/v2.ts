import { createReviver, createStringifier } from 'model-cache/codec'
import { Prisma } from '#prisma/client/client.js'
import type { AuctionItem } from '#prisma/client/client.js'
import { AuctionItemRow } from './auction-item-row.js'
import type { RowCodec } from './per-key-design.js'

const { stringify } = createStringifier<AuctionItem>()(AuctionItemRow, 'AuctionItem')

const { revive } = createReviver<AuctionItem>(
  {
    fairMarketValue: 'decimal',
    startingPrice: 'decimal',
    minimumIncrement: 'decimal',
    minimumNextBid: 'decimal',
    buyNowPrice: 'decimal',
    reservePrice: 'decimal',
    startsAt: 'date',
    endsAt: 'date',
    currentBid: 'decimal',
    lastBidAt: 'date',
    createdAt: 'date',
    updatedAt: 'date',
  },
  { Decimal: Prisma.Decimal },
)

/** The second design: a compiled stringifier, and a reviver that visits declared fields only. */
export const v2: RowCodec = { encode: stringify, decode: revive }
