import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importFile } from '#prisma/import/import-file.js'
import { projectRoot } from '#prisma/project-root.js'
import { startAuction } from './auction-server.js'
import type { AuctionServer } from './auction-server.js'

interface Gala {
  items: {
    id: string
    lot: string
    name: string
    order: number
    images: { image: string; thumbnail_image: string }[]
    bidding: { starting_price: number; minimum_increment: number; minimum_next_bid: number }
    winningBids: { id: string; bidderId: string; amount: number; createdAt: string }[]
  }[]
}

const data = join(projectRoot(), '..', 'shared', 'data')
const galaFile = join(data, 'gala-auction.json')
const bidsFile = join(data, 'auction-bids.csv')

// The files are real people's auctions and not part of the repository.
const isHere = existsSync(galaFile) && existsSync(bidsFile)
const describeIfHere = isHere ? describe : describe.skip

describeIfHere(`real auctions (skipped where ${data} is absent)`, () => {
  let server: AuctionServer
  beforeAll(async () => (server = await startAuction()))
  afterAll(() => server.close())

  it('come back with dates and money intact: 135 lots, from the database and then from Valkey', async () => {
    const { rows, rejections } = await importFile(server.prisma, galaFile)
    expect(rejections).toEqual([])
    const query = `{ auctionPage(fundraiserId: "${rows!.fundraiser.id}") { items {
      id lot name sortOrder startingPrice minimumIncrement minimumNextBid currentBid lastBidAt
      images { image thumbnailImage } bids { id amount placedAt bidder { id } } } } }`
    const read = (layer: string) =>
      server.counter('model_cache_reads_total', { model: 'AuctionItem', layer, outcome: 'hit' })

    const first = await server.graphql(query)
    expect([await read('source'), await read('store')]).toEqual([135, 0])
    const second = await server.graphql(query)
    expect([await read('source'), await read('store')]).toEqual([135, 135])
    expect(second).toEqual(first)

    const { items } = JSON.parse(readFileSync(galaFile, 'utf8')) as Gala
    // The file tells microseconds; Prisma's and JavaScript's dates end at milliseconds.
    const time = (text: string) => new Date(text).toISOString()
    expect(second.data.auctionPage.items).toEqual(
      items
        .toSorted((left, right) => left.order - right.order)
        .map(({ bidding, winningBids, ...lot }) => ({
          id: lot.id,
          lot: lot.lot,
          name: lot.name,
          sortOrder: lot.order,
          startingPrice: String(bidding.starting_price),
          minimumIncrement: String(bidding.minimum_increment),
          minimumNextBid: String(bidding.minimum_next_bid),
          currentBid: winningBids[0] ? String(winningBids[0].amount) : null,
          lastBidAt: winningBids[0] ? time(winningBids[0].createdAt) : null,
          images: lot.images.map(({ image, thumbnail_image: thumbnailImage }) => ({ image, thumbnailImage })),
          bids: winningBids.map(({ id, amount, createdAt, bidderId }) => ({
            id,
            amount: String(amount),
            placedAt: time(createdAt),
            bidder: { id: bidderId },
          })),
        })),
    )
  })

  it('come from a file of 1,054 bids as 62 lots, each with the highest bid as its price', async () => {
    const { rows, rejections } = await importFile(server.prisma, bidsFile)
    expect(rejections).toEqual([])
    const { data: answer } = await server.graphql(
      `{ auctionPage(fundraiserId: "${rows!.fundraiser.id}") { items { currentBid bidCount bids(first: 100) { amount } } } }`,
    )
    const { items } = answer.auctionPage
    expect(items).toHaveLength(62)
    let total = 0
    for (const { currentBid, bidCount, bids } of items) {
      expect(bids).toHaveLength(bidCount)
      expect(bids[0].amount).toBe(currentBid)
      total += bidCount
    }
    expect(total).toBe(1054)
  })
})
