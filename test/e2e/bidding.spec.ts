import type { AuctionItem } from '#prisma/client/client.js'
import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { useOpened } from '../support/use-opened.js'
import { startAuction, type GraphqlAnswer } from './auction-server.js'

const PLACE_BID = /* GraphQL */ `
  mutation ($input: PlaceBidInput!) {
    placeBid(input: $input) {
      bid {
        id
        status
        amount
      }
      auctionItem {
        currentBid
        minimumNextBid
        bidCount
      }
    }
  }
`
const ITEM = /* GraphQL */ `
  query ($id: ID!) {
    auctionItem(id: $id) {
      name
      currentBid
      minimumNextBid
      bidCount
      bids {
        id
        status
      }
    }
  }
`

const demo = buildDemoRows()
const [alice, bob] = [demo.users[0]!, demo.users[1]!]
const contested = demo.auctionItems.filter(({ status, bidCount }) => status === 'OPEN' && bidCount > 1)

describe('bidding', () => {
  const server = useOpened(startAuction)
  let next = 0
  /** Returns a lot that no other test bids on. */
  const freshLot = (): AuctionItem => contested[next++]!
  const placeBid = (auctionItemId: string, amount: string, bidderId = alice.id): Promise<GraphqlAnswer> =>
    server.graphql(PLACE_BID, { input: { auctionItemId, bidderId, amount } })
  const codeOf = ({ errors }: GraphqlAnswer): unknown => errors?.[0]?.extensions?.code

  it('updates the cached item, list of bids and previous winner for the next read', async () => {
    const lot = freshLot()
    const { data: before } = await server.graphql(ITEM, { id: lot.id })
    const amount = lot.minimumNextBid.toFixed()
    const { data: placed } = await placeBid(lot.id, amount)
    const minimumNextBid = lot.minimumNextBid.plus(lot.minimumIncrement).toFixed()
    expect(placed.placeBid).toEqual({
      bid: { id: expect.any(String), status: 'WINNING', amount },
      auctionItem: { currentBid: amount, minimumNextBid, bidCount: lot.bidCount + 1 },
    })

    const { data: after } = await server.graphql(ITEM, { id: lot.id })
    const [oldWinner, ...others] = before.auctionItem.bids
    expect(oldWinner.status).toBe('WINNING')
    expect(after.auctionItem).toEqual({
      name: lot.name,
      currentBid: amount,
      minimumNextBid,
      bidCount: lot.bidCount + 1,
      bids: [
        { id: placed.placeBid.bid.id, status: 'WINNING' },
        { ...oldWinner, status: 'OUTBID' },
        ...others,
      ].slice(0, 10),
    })
  })

  it('accepts one of two concurrent equal bids', async () => {
    const lot = freshLot()
    await server.graphql(ITEM, { id: lot.id })
    const amount = lot.minimumNextBid.toFixed()
    const answers = await Promise.all([placeBid(lot.id, amount), placeBid(lot.id, amount, bob.id)])
    expect(answers.map(codeOf).toSorted()).toEqual(['BID_TOO_LOW', undefined])

    const { data } = await server.graphql(ITEM, { id: lot.id })
    expect(data.auctionItem).toMatchObject({ currentBid: amount, bidCount: lot.bidCount + 1 })
    expect(
      await server.prisma.auctionBid.count({ where: { auctionItemId: lot.id, status: 'WINNING' } }),
    ).toBe(1)
  })

  it('stores or rejects each of twenty concurrent rising bids', async () => {
    const lot = freshLot()
    const amounts = Array.from({ length: 20 }, (_, step) =>
      lot.minimumNextBid.plus(lot.minimumIncrement.times(step)),
    )
    const answers = await Promise.all(amounts.map((amount) => placeBid(lot.id, amount.toFixed())))
    const accepted = answers.filter(({ errors }) => !errors)
    const rejected = answers.filter(({ errors }) => errors)
    expect(rejected.every((answer) => codeOf(answer) === 'BID_TOO_LOW')).toBe(true)

    const { data } = await server.graphql(ITEM, { id: lot.id })
    // The highest bid is always accepted.
    expect(data.auctionItem.currentBid).toBe(amounts.at(-1)!.toFixed())
    expect(data.auctionItem.bidCount).toBe(lot.bidCount + accepted.length)
    expect(await server.prisma.auctionBid.count({ where: { auctionItemId: lot.id } })).toBe(
      data.auctionItem.bidCount,
    )
  })

  it('rejects a bid below the minimum and returns the minimum', async () => {
    const lot = freshLot()
    const answer = await placeBid(lot.id, lot.minimumNextBid.minus('0.01').toFixed())
    const minimumNextBid = lot.minimumNextBid.toFixed()
    expect(answer.errors?.[0]).toMatchObject({
      message: `The next bid must be at least ${minimumNextBid}`,
      extensions: { code: 'BID_TOO_LOW', minimumNextBid },
    })
    expect(await server.prisma.auctionBid.count({ where: { auctionItemId: lot.id } })).toBe(lot.bidCount)
  })

  it('rejects bids on lots that are closed or not open yet', async () => {
    const over = demo.auctionItems.find(({ status }) => status === 'CLOSED')!
    const late = await placeBid(over.id, '1000000')
    expect(late.errors?.[0]).toMatchObject({
      message: 'The auction of this item is over',
      extensions: { code: 'AUCTION_NOT_OPEN' },
    })

    const lot = freshLot()
    await server.prisma.auctionItem.update({
      where: { id: lot.id },
      data: { startsAt: new Date('2040-01-01') },
    })
    const early = await placeBid(lot.id, '1000000')
    expect(early.errors?.[0]?.message).toBe('The auction of this item opens at 2040-01-01T00:00:00.000Z')
  })

  it('rejects unknown lots and bidders', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000'
    expect(codeOf(await placeBid(nobody, '10'))).toBe('NOT_FOUND')
    expect(codeOf(await placeBid(freshLot().id, '1000000', nobody))).toBe('NOT_FOUND')
  })
})

describe('editing an item', () => {
  const EDIT = `mutation ($input: EditItemInput!) { editItem(input: $input) { name endsAt minimumNextBid } }`
  const server = useOpened(startAuction)

  it('is visible to the next read and changes nothing else', async () => {
    const lot = contested[0]!
    const { data: before } = await server.graphql(ITEM, { id: lot.id })
    const { errors } = await server.graphql(EDIT, { input: { id: lot.id, name: 'A better name' } })
    expect(errors).toBeUndefined()
    const { data: after } = await server.graphql(ITEM, { id: lot.id })
    expect(after.auctionItem).toEqual({ ...before.auctionItem, name: 'A better name' })
  })

  it('updates the minimum with the increment and removes the closing time with null', async () => {
    const lot = contested[1]!
    const input = { id: lot.id, minimumIncrement: '33.25', endsAt: null }
    const { data } = await server.graphql(EDIT, { input })
    expect(data.editItem).toEqual({
      name: lot.name,
      endsAt: null,
      minimumNextBid: lot.currentBid!.plus('33.25').toFixed(),
    })
  })
})
