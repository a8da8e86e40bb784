import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importFile } from '#prisma/import/import-file.js'
import { projectRoot } from '#prisma/project-root.js'
import { useOpened } from '../support/use-opened.js'
import { startAuction } from './auction-server.js'

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

// The files are auctions of real people, so they are not in the repository.
const hasFiles = existsSync(galaFile) && existsSync(bidsFile)
const describeWithFiles = hasFiles ? describe : describe.skip

describeWithFiles(`real auctions (skipped without ${data})`, () => {
  const server = useOpened(startAuction)

  it('keep dates and amounts intact: 135 lots, from the database and then from Valkey', async () => {
    const { rows, rejections } = await importFile(server.prisma, galaFile)
    expect(rejections).toEqual([])
    const query = `{ auctionPage(fundraiserId: "${rows!.fundraiser.id}") { items {
      id lot name sortOrder startingPrice minimumIncrement minimumNextBid currentBid lastBidAt
      images { image thumbnailImage } bids { id amount placedAt bidder { id } } } } }`
    const read = (layer: string, lookup: string) =>
      server.counter('model_cache_reads_total', { model: 'AuctionItem', lookup, layer, outcome: 'hit' })

    const first = await server.graphql(query)
    expect([await read('source', 'ofFundraiser'), await read('store', '')]).toEqual([1, 0])
    const second = await server.graphql(query)
    expect([await read('source', 'ofFundraiser'), await read('store', '')]).toEqual([1, 135])
    expect(second).toEqual(first)

    const { items } = JSON.parse(readFileSync(galaFile, 'utf8')) as Gala
    // The file has microseconds. Dates of Prisma and JavaScript have milliseconds.
    const time = (value: string) => new Date(value).toISOString()
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

  it('load 1,054 bids as 62 lots with the highest bid as their price', async () => {
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
