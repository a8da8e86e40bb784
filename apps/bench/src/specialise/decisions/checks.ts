import type { AuctionBid } from '#prisma/client/client.js'
import { bidCodec, bids } from '../bids.ts'
import type { Decision, Variant } from '../decision.ts'
import { compileMatches, matches } from './matches.ts'
import { plainReads } from './plain-reads.ts'

const compiled = compileMatches(bidCodec.plan)
const walked = (row: unknown): boolean => matches(bidCodec.plan, row)

/** Strict or lenient about the shape of rows: who is strict checks each row that is read. */
export const checks: Decision = {
  name: 'checks',
  about:
    'suite: each row held against its schema, by functions made of the plan of the schema once, against a walk over that plan for each row',
  variants: [variant('at registration', compiled), variant('at each call', walked)],
  alone: () => [
    { inputs: bids, run: compiled },
    { inputs: bids, run: walked },
  ],
}

function variant(name: string, check: (row: unknown) => boolean): Variant {
  const onRow = (row: AuctionBid): void => {
    if (!check(row)) throw new TypeError(`${row.id} does not match its schema.`)
  }
  const idOf = ({ id }: AuctionBid): string => id
  const keyOf = (id: string): string => id
  return { name, open: () => plainReads({ idOf, storeUnder: keyOf, keyOf, onRow }) }
}
