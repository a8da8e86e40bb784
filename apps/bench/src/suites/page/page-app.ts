import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Args, Context, GraphQLModule, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { decorate } from '../../harness/graphql/decorate.ts'
import { lotFields, lotFieldTypes, scalars } from '../../harness/graphql/lot-type.ts'
import type { AuctionBid, AuctionItem } from '#prisma/client/client.js'
import type { Head, OpenPageRows, PageParts, PageRows } from './page-rows.ts'

const PAGE_ROWS = Symbol('the rows of a page')

const typeDefs = `
  ${lotFieldTypes}
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

/** The resolvers of all variants; those of the demo, without its other types. */
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
decorate(PageResolver, 'auctionPage', Query())
Context('rows')(PageResolver.prototype, 'auctionPage', 0)
Args('fundraiserId')(PageResolver.prototype, 'auctionPage', 1)
decorate(PageResolver, 'items', ResolveField())
Context('rows')(PageResolver.prototype, 'items', 0)
Parent()(PageResolver.prototype, 'items', 1)

Resolver('Lot')(LotResolver)
decorate(LotResolver, 'bids', ResolveField())
Context('rows')(LotResolver.prototype, 'bids', 0)
Parent()(LotResolver.prototype, 'bids', 1)

Resolver('Bid')(BidResolver)
decorate(BidResolver, 'bidder', ResolveField())
Context('rows')(BidResolver.prototype, 'bidder', 0)
Parent()(BidResolver.prototype, 'bidder', 1)

class RowsModule {}
Module({})(RowsModule)
class RootModule {}
Module({})(RootModule)

/** The same application for each variant: only the rows come from elsewhere. */
export function createPageApp({ imports = [], rows }: PageParts): Promise<NestFastifyApplication> {
  const { inject = [], useFactory } = rows
  const rowsModule = {
    module: RowsModule,
    imports,
    providers: [{ provide: PAGE_ROWS, inject: [...inject], useFactory }],
    exports: [PAGE_ROWS],
  }
  const graphql = GraphQLModule.forRootAsync<MercuriusDriverConfig>({
    driver: MercuriusDriver,
    imports: [rowsModule],
    inject: [PAGE_ROWS],
    useFactory: (open: OpenPageRows) => ({
      typeDefs,
      resolvers: scalars as never,
      jit: 1,
      context: () => ({ rows: open() }),
    }),
  })
  const root = {
    module: RootModule,
    imports: [graphql],
    providers: [PageResolver, LotResolver, BidResolver],
  }
  return NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { logger: false })
}
