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
] satisfies Prisma.AuctionBidOrderByWithRelationInput[]

export interface PageEnvironment {
  /** A plain client, connected. */
  readonly prisma: PrismaClient
  /** A `redis://` URL. */
  readonly valkeyUrl: string
}

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

/**
 * As Prisma's guide to the n+1 problem writes resolvers: relations by the fluent API, single rows by `findUnique`.
 * Prisma joins those of one tick in one query.
 */
export const findUnique = (prisma: PrismaClient): PageRows => ({
  head: (id) => prisma.fundraiser.findUnique({ where: { id }, select: headSelect }),
  lots: ({ id }) => prisma.auctionItem.findMany({ where: { fundraiserId: id }, orderBy: lotOrder }),
  bids: async ({ id }) =>
    (await prisma.auctionItem.findUnique({ where: { id } }).bids({ orderBy: bidOrder })) ?? [],
  bidder: ({ bidderId: id }) => prisma.user.findUnique({ where: { id } }),
})

/** As docs/graphql.md advises for lists: queries for their ids alone, and rows by their ids. */
export const listsOfIds = (prisma: PrismaClient): PageRows => ({
  ...findUnique(prisma),
  async lots({ id }) {
    const where = { fundraiserId: id }
    const ids = idsOf(await prisma.auctionItem.findMany({ where, select: { id: true }, orderBy: lotOrder }))
    return existing(inOrder(ids, await prisma.auctionItem.findMany({ where: { id: { in: ids } } })))
  },
  async bids({ id }) {
    const lot = prisma.auctionItem.findUnique({ where: { id } })
    const ids = idsOf((await lot.bids({ select: { id: true }, orderBy: bidOrder })) ?? [])
    return existing(inOrder(ids, await prisma.auctionBid.findMany({ where: { id: { in: ids } } })))
  },
})

type Tree = Head & { readonly auctionItems: readonly (AuctionItem & { readonly bids: readonly Leaf[] })[] }
type Leaf = AuctionBid & { readonly bidder: User }

/** The query of the page loads all that it may show; the resolvers below only look into it. */
export const include = (prisma: PrismaClient): PageRows => ({
  head: (id) =>
    prisma.fundraiser.findUnique({
      where: { id },
      select: {
        ...headSelect,
        auctionItems: {
          orderBy: lotOrder,
          include: { bids: { orderBy: bidOrder, include: { bidder: true } } },
        },
      },
    }),
  lots: (head) => (head as Tree).auctionItems,
  bids: (lot) => (lot as Tree['auctionItems'][number]).bids,
  bidder: (bid) => (bid as Leaf).bidder,
})

type Ids = readonly string[]
export type Batches = ReturnType<typeof batchesOf>

/** One query for many parents: the batch functions of DataLoader. Results are in the order of the ids. */
export const batchesOf = (prisma: PrismaClient) => ({
  heads: (ids: Ids): Promise<(Head | null)[]> => Promise.all(ids.map(findUnique(prisma).head)),
  async lots(ids: Ids): Promise<AuctionItem[][]> {
    const where = { fundraiserId: { in: [...ids] } }
    const lots = await prisma.auctionItem.findMany({ where, orderBy: lotOrder })
    return grouped(ids, lots, ({ fundraiserId }) => fundraiserId)
  },
  async bids(ids: Ids): Promise<AuctionBid[][]> {
    const where = { auctionItemId: { in: [...ids] } }
    const bids = await prisma.auctionBid.findMany({ where, orderBy: bidOrder })
    return grouped(ids, bids, ({ auctionItemId }) => auctionItemId)
  },
  users: async (ids: Ids): Promise<(User | null)[]> =>
    inOrder(ids, await prisma.user.findMany({ where: { id: { in: [...ids] } } })),
})

export const idsOf = (rows: readonly { readonly id: string }[] = []): string[] => rows.map(({ id }) => id)
export const existing = <Row>(rows: readonly (Row | null)[]): Row[] => rows.filter((row) => row !== null)

function inOrder<Row extends { readonly id: string }>(ids: Ids, rows: readonly Row[]): (Row | null)[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

function grouped<Row>(ids: Ids, rows: readonly Row[], parentOf: (row: Row) => string): Row[][] {
  const groups = Map.groupBy(rows, parentOf)
  return ids.map((id) => groups.get(id) ?? [])
}
