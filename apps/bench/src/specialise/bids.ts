import type { Codec } from 'model-cache/codec'
import type { AuctionBid } from '#prisma/client/client.js'
import { auctionBid } from '../codec/fixtures/auction-bid.ts'

/** What one request reads: many small rows, so that what is decided for each of them weighs as much as it can. */
export const BIDS = 100

export const bids = (auctionBid.rows as readonly AuctionBid[]).slice(0, BIDS)
export const bidIds = bids.map(({ id }) => id)
export const bidCodec = auctionBid.compile() as Codec<AuctionBid>

/** What a request is answered with. */
export function answerOf(rows: readonly (AuctionBid | null)[]): string {
  return JSON.stringify(rows.map((row) => row?.id))
}
