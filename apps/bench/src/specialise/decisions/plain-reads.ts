import { undecodable } from 'model-cache/codec'
import type { AuctionBid } from '#prisma/client/client.js'
import { answerOf, bidCodec, bids } from '../bids.ts'
import type { Work } from '../decision.ts'

/** How rows are read, of which a decision changes one part. */
export interface PlainReads<Id> {
  readonly idOf: (bid: AuctionBid) => Id
  readonly storeUnder: (id: Id) => string
  readonly keyOf: (id: Id) => string
  /** Called with each row that has been read. */
  readonly onRow?: (row: AuctionBid) => void
}

/**
 * The least that a cache does: keys, a look-up, this library's codec. Nothing is shared with the library's own reads but the codec,
 * so that a part of it can be done in two ways.
 */
export function plainReads<Id>({ idOf, storeUnder, keyOf, onRow = () => {} }: PlainReads<Id>): Work {
  const ids = bids.map(idOf)
  const stored = new Map(bids.map((bid) => [storeUnder(idOf(bid)), bidCodec.encode(bid)]))
  return () => {
    const rows = ids.map((id) => {
      const text = stored.get(keyOf(id))
      const row = text === undefined ? null : bidCodec.decode(text)
      if (row === null || row === undefined || row === undecodable)
        throw new Error(`There is no row under ${keyOf(id)}.`)
      onRow(row)
      return row
    })
    return answerOf(rows)
  }
}
