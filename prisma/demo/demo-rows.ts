import { buildBids, withBids } from './bids.js'
import { buildFeatureFlags } from './feature-flags.js'
import { buildFundraiser, DEMO_FUNDRAISER_ID } from './fundraiser.js'
import { buildGivingLevel, buildPaddleTipConfig, buildSponsor, buildSponsorBundle } from './giving.js'
import { buildAuctionItem, buildItem } from './lots.js'
import { buildGuestUser, buildUser } from './people.js'
import { createRandom } from './random.js'

export const DEMO_LOTS = 107

/**
 * Builds all rows of the demo: a fundraiser with 107 lots, their bids and everything else on its page. Every run builds
 * the same complete rows, as Prisma returns them, so tests and benchmarks can use them without a database.
 */
export function buildDemoRows() {
  // One random stream per kind of row, so that adding a user does not change the bids.
  const stream = (kind: string) => createRandom(`model-cache demo ${kind}`)
  const many = <Row>(count: number, build: (index: number) => Row): Row[] =>
    Array.from({ length: count }, (_, index) => build(index))

  const people = stream('people')
  const users = many(60, (index) => buildUser(people, index))
  const guestUsers = many(40, (index) => buildGuestUser(people, index))

  const lots = stream('lots')
  const items = many(DEMO_LOTS, (index) => buildItem(lots, index))
  const bidding = stream('bids')
  const auctions = items.map((item, index) => {
    const lot = buildAuctionItem(lots, index, item, DEMO_FUNDRAISER_ID)
    const bids = buildBids(bidding, lot, users, guestUsers)
    return { lot: withBids(lot, bids), bids }
  })

  const giving = stream('giving')
  const sponsorBundles = many(2, (index) => buildSponsorBundle(giving, index, DEMO_FUNDRAISER_ID))
  return {
    fundraisers: [buildFundraiser(stream('fundraiser'))],
    users,
    guestUsers,
    items,
    auctionItems: auctions.map(({ lot }) => lot),
    auctionBids: auctions.flatMap(({ bids }) => bids),
    givingLevels: many(5, (index) => buildGivingLevel(giving, index, DEMO_FUNDRAISER_ID)),
    sponsorBundles,
    sponsors: sponsorBundles.flatMap((bundle) => many(6, (index) => buildSponsor(giving, index, bundle))),
    paddleTipConfigs: [buildPaddleTipConfig(giving, DEMO_FUNDRAISER_ID)],
    featureFlags: [buildFeatureFlags(stream('flags'))],
  }
}
