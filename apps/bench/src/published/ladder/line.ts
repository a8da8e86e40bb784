import { type } from 'arktype'
import { each } from '../../harness/fixtures/fixture.ts'

/** A lot of a fundraiser with its bids; `total` is the sum of them with two decimals, `placedAt` ISO text. */
export const line = type({
  ...each('id lot name donorName category status total', 'string'),
  ...each('startsAt updatedAt', 'Date'),
  bidCount: 'number',
  bids: type(each('id bidderId amount source placedAt', 'string')).array(),
})
export type Line = typeof line.infer

/** The lots of a report, in its order. */
export const lotIds = type({ id: 'string', lotIds: 'string[]' })
export type LotIds = typeof lotIds.infer
