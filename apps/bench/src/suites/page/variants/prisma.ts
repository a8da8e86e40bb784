import type { AuctionBid, AuctionItem, PrismaClient, User } from '#prisma/client/client.js'
import { bidOrder, headSelect, lotOrder, type Head, type PageRows } from '../page-rows.ts'

/**
 * As Prisma's guide to the n+1 problem writes resolvers: relations by the fluent API, single rows by `findUnique`.
 * Prisma joins those of one tick in one query.
 */
export const findUnique = (prisma: PrismaClient): PageRows => ({
  head: (id) => prisma.fundraiser.findUnique({ where: { id }, select: headSelect }),
  lots: ({ id }) => prisma.auctionItem.findMany({ where: { fundraiserId: id }, orderBy: lotOrder }),
  bids: async ({ id }) =>
    (await prisma.auctionItem.findUnique({ where: { id } }).bids({ orderBy: [...bidOrder] })) ?? [],
  bidder: ({ bidderId: id }) => prisma.user.findUnique({ where: { id } }),
})

/** As docs/graphql.md advises for lists: queries for their ids alone, and rows by their ids. */
export const listsOfIds = (prisma: PrismaClient): PageRows => ({
  ...findUnique(prisma),
  async lots({ id }) {
    const where = { fundraiserId: id }
    const ids = idsOf(await prisma.auctionItem.findMany({ where, select: { id: true }, orderBy: lotOrder }))
    return inOrder(ids, await prisma.auctionItem.findMany({ where: { id: { in: ids } } }))
  },
  async bids({ id }) {
    const lot = prisma.auctionItem.findUnique({ where: { id } })
    const ids = idsOf((await lot.bids({ select: { id: true }, orderBy: [...bidOrder] })) ?? [])
    return inOrder(ids, await prisma.auctionBid.findMany({ where: { id: { in: ids } } }))
  },
})

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)

function inOrder<Row extends { readonly id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

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
          include: { bids: { orderBy: [...bidOrder], include: { bidder: true } } },
        },
      },
    }),
  lots: (head) => (head as Tree).auctionItems,
  bids: (lot) => (lot as Tree['auctionItems'][number]).bids,
  bidder: (bid) => (bid as Leaf).bidder,
})
