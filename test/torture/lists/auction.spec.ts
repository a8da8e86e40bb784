import { buildDemoRows, DEMO_LOTS } from '#prisma/demo/demo-rows.js'
import { buildFurtherBids } from './auction.ts'
import { HIGHEST } from './page.ts'

describe('the bids of the auction', () => {
  const bids = [...buildDemoRows().auctionBids, ...buildFurtherBids()]
  const byLot = [...Map.groupBy(bids, ({ auctionItemId }) => auctionItemId).values()]

  it('are more on each lot than a list shows', () => {
    expect(byLot).toHaveLength(DEMO_LOTS)
    expect(Math.min(...byLot.map(({ length }) => length))).toBeGreaterThan(HIGHEST)
  })

  it('are different rows, the same in every run', () => {
    expect(new Set(bids.map(({ id }) => id)).size).toBe(bids.length)
    expect(buildFurtherBids()).toEqual(buildFurtherBids())
  })

  it('are equally high at times, so that the amount alone does not decide their order', () => {
    const isUnequal = (ofLot: typeof bids) =>
      new Set(ofLot.map(({ amount }) => amount.toString())).size === ofLot.length
    expect(byLot.every(isUnequal)).toBe(false)
  })
})
