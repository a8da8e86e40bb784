import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import type { AuctionBid, AuctionItem } from '#prisma/client/client.js'
import { createGraphqlApp, decorate } from '../../harness/graphql/app.ts'
import { lotFields } from '../../harness/graphql/lot-type.ts'
import type { Head, PageRows } from './rows.ts'

const typeDefs = `
  type Query { auctionPage(fundraiserId: ID!): AuctionPage }
  type AuctionPage { fundraiser: Fundraiser! items: [Lot!]! }
  type Fundraiser {
    id: ID! name: String! tagline: String! charityName: String! currency: String! locale: String!
    startsAt: DateTime! endsAt: DateTime goalAmount: Decimal! raisedAmount: Decimal!
  }
  type Lot { ${lotFields} bids: [Bid!]! }
  type Bid { id: ID! amount: Decimal! placedAt: DateTime! bidder: User }
  type User { id: ID! displayName: String! }
`

interface Page {
  readonly fundraiser: Head
}

class PageResolver {
  async auctionPage(rows: PageRows, id: string): Promise<Page | null> {
    const fundraiser = await rows.head(id)
    return fundraiser && { fundraiser }
  }

  items(rows: PageRows, { fundraiser }: Page): ReturnType<PageRows['lots']> {
    return rows.lots(fundraiser)
  }
}

class LotResolver {
  bids(rows: PageRows, lot: AuctionItem): ReturnType<PageRows['bids']> {
    return rows.bids(lot)
  }
}

class BidResolver {
  bidder(rows: PageRows, bid: AuctionBid): ReturnType<PageRows['bidder']> {
    return rows.bidder(bid)
  }
}

Resolver('AuctionPage')(PageResolver)
decorate(PageResolver, 'auctionPage', Query(), Context('rows'), Args('fundraiserId'))
decorate(PageResolver, 'items', ResolveField(), Context('rows'), Parent())
Resolver('Lot')(LotResolver)
decorate(LotResolver, 'bids', ResolveField(), Context('rows'), Parent())
Resolver('Bid')(BidResolver)
decorate(BidResolver, 'bidder', ResolveField(), Context('rows'), Parent())

/** The application of all variants, with the resolvers of the demo: only the rows come from elsewhere. */
export const createPageApp = (openRows: () => PageRows) =>
  createGraphqlApp(typeDefs, { providers: [PageResolver, LotResolver, BidResolver] }, () => ({
    rows: openRows(),
  }))
