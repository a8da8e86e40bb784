import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { useOpened } from '../support/use-opened.js'
import { startAuction, type AuctionServer } from './auction-server.js'

const PAGE = /* GraphQL */ `
  query ($id: ID!) {
    auctionPage(fundraiserId: $id) {
      fundraiser {
        name
        pageViews
        coverPreview
      }
      items {
        id
        lot
        startsAt
        fairMarketValue
        currentBid
        images {
          thumbnailImage
        }
        bids(first: 100) {
          id
          amount
          placedAt
          bidder {
            id
            displayName
          }
        }
      }
    }
  }
`

const demo = buildDemoRows()
const fundraiser = demo.fundraisers[0]!

/** Hits of the rows of a model, or of the entries of one of its lookups, by layer. */
async function reads(
  server: AuctionServer,
  model: string,
  lookup = '',
): Promise<{ valkey: number; database: number }> {
  const of = (layer: string) =>
    server.counter('model_cache_reads_total', { model, lookup, layer, outcome: 'hit' })
  return { valkey: await of('store'), database: await of('source') }
}

describe('the page of an auction', () => {
  const server = useOpened(startAuction)

  it('returns 107 items with their bids and bidders, as stored in the database', async () => {
    const { data, errors } = await server.graphql(PAGE, { id: fundraiser.id })
    expect(errors).toBeUndefined()
    expect(data.auctionPage.fundraiser).toEqual({
      name: fundraiser.name,
      pageViews: '9007199254740993',
      coverPreview: Buffer.from(fundraiser.coverPreview!).toString('base64'),
    })
    expect(data.auctionPage.items).toHaveLength(107)

    const users = new Map(demo.users.map((user) => [user.id, user]))
    const expected = demo.auctionItems.map((item) => ({
      id: item.id,
      lot: item.lot,
      startsAt: item.startsAt.toISOString(),
      fairMarketValue: item.fairMarketValue.toFixed(),
      currentBid: item.currentBid?.toFixed() ?? null,
      images: [{ thumbnailImage: (item.images as { thumbnailImage: string }[])[0]!.thumbnailImage }],
      bids: demo.auctionBids
        .filter((bid) => bid.auctionItemId === item.id)
        .toReversed()
        .map((bid) => ({
          id: bid.id,
          amount: bid.amount.toFixed(),
          placedAt: bid.placedAt.toISOString(),
          bidder: { id: bid.bidderId, displayName: users.get(bid.bidderId)!.displayName },
        })),
    }))
    expect(data.auctionPage.items).toEqual(expected)
  })

  it('is read from the database once and from Valkey afterwards', async () => {
    const fresh = await startAuction()
    const first = await fresh.graphql(PAGE, { id: fundraiser.id })
    expect(await reads(fresh, 'AuctionItem', 'ofFundraiser')).toEqual({ valkey: 0, database: 1 })
    expect(await reads(fresh, 'AuctionBid', 'ofItem')).toEqual({ valkey: 0, database: 107 })
    // The rows of a list come with its entry.
    expect(await reads(fresh, 'AuctionItem')).toEqual({ valkey: 0, database: 0 })
    expect(await reads(fresh, 'AuctionBid')).toEqual({ valkey: 0, database: 0 })

    const second = await fresh.graphql(PAGE, { id: fundraiser.id })
    expect(second).toEqual(first)
    expect(await reads(fresh, 'Fundraiser')).toEqual({ valkey: 1, database: 1 })
    expect(await reads(fresh, 'AuctionItem', 'ofFundraiser')).toEqual({ valkey: 1, database: 1 })
    expect(await reads(fresh, 'AuctionBid', 'ofItem')).toEqual({ valkey: 107, database: 107 })
    expect(await reads(fresh, 'AuctionItem')).toEqual({ valkey: 107, database: 0 })
    expect(await reads(fresh, 'AuctionBid')).toEqual({ valkey: demo.auctionBids.length, database: 0 })
    await fresh.close()
  })

  it('is null for a fundraiser that does not exist', async () => {
    const { data } = await server.graphql(PAGE, { id: '00000000-0000-4000-8000-000000000000' })
    expect(data).toEqual({ auctionPage: null })
  })
})

describe('other queries', () => {
  const server = useOpened(startAuction)

  it('return a fundraiser with its giving levels, sponsor bundles and tip configuration', async () => {
    const query = `{ fundraiser(id: "${fundraiser.id}") {
      givingLevels { amount matchedAmount benefits }
      sponsorBundles { name price sponsors { name pledgedAt } }
      paddleTipConfig { suggestedPercentages defaultPercentage } } }`
    const { data } = await server.graphql(query)
    const decimal = (value: { toFixed(): string } | null) => value?.toFixed() ?? null
    expect(data.fundraiser).toEqual({
      givingLevels: demo.givingLevels.map(({ amount, matchedAmount, benefits }) => ({
        amount: decimal(amount),
        matchedAmount: decimal(matchedAmount),
        benefits,
      })),
      sponsorBundles: demo.sponsorBundles.map(({ id, name, price }) => ({
        name,
        price: decimal(price),
        sponsors: demo.sponsors
          .filter(({ bundleId }) => bundleId === id)
          .map((sponsor) => ({ name: sponsor.name, pledgedAt: sponsor.pledgedAt.toISOString() })),
      })),
      paddleTipConfig: { suggestedPercentages: [5, 10, 15], defaultPercentage: '7.5' },
    })
  })

  it('return the feature flags, 100 kB, from Valkey the second time', async () => {
    const query = '{ featureFlags { revision flags updatedAt } }'
    const first = await server.graphql(query)
    const { flags, revision, updatedAt } = demo.featureFlags[0]!
    expect(first.data.featureFlags).toEqual({ revision, flags, updatedAt: updatedAt.toISOString() })
    expect(await server.graphql(query)).toEqual(first)
    expect(await reads(server, 'FeatureFlags')).toEqual({ valkey: 1, database: 1 })
  })

  it('return items by their ids, in that order, without those that do not exist', async () => {
    const [first, second] = demo.auctionItems
    const unknown = '00000000-0000-4000-8000-000000000000'
    const query = 'query ($ids: [ID!]!) { auctionItems(ids: $ids) { lot } }'
    const { data } = await server.graphql(query, { ids: [second!.id, unknown, first!.id] })
    expect(data.auctionItems).toEqual([{ lot: second!.lot }, { lot: first!.lot }])
    const { errors } = await server.graphql(query, { ids: Array.from({ length: 101 }, () => unknown) })
    expect(errors?.[0]?.message).toContain('ids must be at most length 100')
  })

  it('return single rows by id, without e-mail addresses', async () => {
    const [user, guest, item, level, bundle] = [
      demo.users[0]!,
      demo.guestUsers[0]!,
      demo.items[0]!,
      demo.givingLevels[0]!,
      demo.sponsorBundles[0]!,
    ]
    const { data } = await server.graphql(`{
      user(id: "${user.id}") { displayName } guestUser(id: "${guest.id}") { name createdAt }
      item(id: "${item.id}") { sku } givingLevel(id: "${level.id}") { name }
      sponsorBundle(id: "${bundle.id}") { tier } auctionBid(id: "${demo.auctionBids[0]!.id}") { source }
      paddleTipConfig(fundraiserId: "${fundraiser.id}") { headline } fundraisers { slug } }`)
    expect(data).toEqual({
      user: { displayName: user.displayName },
      guestUser: { name: guest.name, createdAt: guest.createdAt.toISOString() },
      item: { sku: item.sku },
      givingLevel: { name: level.name },
      sponsorBundle: { tier: bundle.tier },
      auctionBid: { source: demo.auctionBids[0]!.source },
      paddleTipConfig: { headline: demo.paddleTipConfigs[0]!.headline },
      fundraisers: [{ slug: fundraiser.slug }],
    })
    const { errors } = await server.graphql(`{ user(id: "${user.id}") { email } }`)
    expect(errors?.[0]?.message).toContain('Cannot query field "email"')
  })
})
