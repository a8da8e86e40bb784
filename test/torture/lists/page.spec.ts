import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { addNames, describePage, type Page } from './page.ts'

const { auctionItems, auctionBids } = buildDemoRows()
const [lot, other] = auctionItems
const [bid, otherBid] = auctionBids.filter(({ guestId }) => guestId === null)
const pageOf = (shown: object = bid!): Page => [
  { lot: lot!, bids: [shown as typeof bid & object], bidders: ['Ann A.'] },
]

describe('describePage', () => {
  it('is the same for the same rows, whatever the order of their fields and with what they include', () => {
    const reversed = Object.fromEntries(Object.entries(bid!).toReversed())
    const included = { ...bid, bidder: { displayName: 'Ann A.' } }
    expect(describePage(pageOf(reversed))).toBe(describePage(pageOf()))
    expect(describePage(pageOf(included))).toBe(describePage(pageOf()))
  })

  it.each([
    ['a date that is a text', { ...bid, placedAt: bid!.placedAt.toISOString() }],
    ['a decimal that is a text', { ...bid, amount: bid!.amount.toString() }],
    ['a decimal that is a number', { ...bid, amount: bid!.amount.toNumber() }],
    ['another bid', otherBid!],
  ])('differs for %s', (_, shown) => {
    expect(describePage(pageOf(shown))).not.toBe(describePage(pageOf()))
  })

  it('differs for another lot and another name', () => {
    const [shown] = pageOf()
    expect(describePage([{ ...shown!, lot: other! }])).not.toBe(describePage([shown!]))
    expect(describePage([{ ...shown!, bidders: ['Bob B.'] }])).not.toBe(describePage([shown!]))
  })
})

describe('addNames', () => {
  it('asks for each user once, and puts the names in the order of the bids', async () => {
    const [one, two] = [
      { ...bid!, bidderId: 'one' },
      { ...bid!, bidderId: 'two' },
    ]
    const asked: (readonly string[])[] = []
    const lists = await addNames([[two, one], [], [two]], async (ids) => {
      asked.push(ids)
      return ids.map((id) => `name of ${id}`)
    })
    expect(lists.map(({ bidders }) => bidders)).toEqual([['name of two', 'name of one'], [], ['name of two']])
    expect(lists.map(({ bids }) => bids)).toEqual([[two, one], [], [two]])
    expect(asked).toEqual([['two', 'one']])
  })
})
