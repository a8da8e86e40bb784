import type { ModuleMetadata } from '@nestjs/common'
import type { Variant } from '../../harness/comparison.ts'
import type {
  AuctionBid,
  AuctionItem,
  Fundraiser,
  Prisma,
  PrismaClient,
  User,
} from '#prisma/client/client.js'

/** What the head of a page shows. */
export const headSelect = {
  id: true,
  name: true,
  tagline: true,
  charityName: true,
  currency: true,
  locale: true,
  startsAt: true,
  endsAt: true,
  goalAmount: true,
  raisedAmount: true,
} as const satisfies Prisma.FundraiserSelect
export type Head = Pick<Fundraiser, keyof typeof headSelect>

/** In the order of the catalogue. */
export const lotOrder = { sortOrder: 'asc' } as const satisfies Prisma.AuctionItemOrderByWithRelationInput
/** Highest first. */
export const bidOrder = [
  { amount: 'desc' },
  { placedAt: 'asc' },
] as const satisfies Prisma.AuctionBidOrderByWithRelationInput[]

/** As the demo reads its page, and with unchanged resolvers of Prisma. */
export const OURS = { injected: 'model-cache shared', reads: 'model-cache reads' } as const

/** What the others are compared with. */
export const PLAIN = 'Prisma'

type Awaitable<T> = T | Promise<T>

/** What the resolvers ask for, each method once per parent object. */
export interface PageRows {
  head(fundraiserId: string): Awaitable<Head | null>
  /** In {@link lotOrder}. */
  lots(head: Head): Awaitable<readonly AuctionItem[]>
  /** In {@link bidOrder}. */
  bids(lot: AuctionItem): Awaitable<readonly AuctionBid[]>
  bidder(bid: AuctionBid): Awaitable<User | null>
}

/** Called once per request. */
export type OpenPageRows = () => PageRows

export interface PageEnvironment {
  /** A plain client, connected. */
  readonly prisma: PrismaClient
  /** A `redis://` URL. */
  readonly valkeyUrl: string
}

/** What a variant adds to the Nest application. */
export interface PageParts {
  readonly imports?: NonNullable<ModuleMetadata['imports']>
  readonly rows: {
    readonly inject?: readonly (string | symbol)[]
    // eslint-disable-next-line typescript/no-explicit-any -- as useFactory of Nest
    readonly useFactory: (...dependencies: any[]) => OpenPageRows
  }
}

/** One way to read the rows of the same application. */
export interface PageVariant extends Variant {
  readonly note: string
  open(environment: PageEnvironment): Promise<PageParts>
}

/** The parts of a variant that opens its rows for each request. */
export const perRequest = (open: OpenPageRows): PageParts => ({ rows: { useFactory: () => open } })

/** The parts of a variant that keeps nothing per request. */
export const sameRows = (rows: PageRows): PageParts => perRequest(() => rows)
