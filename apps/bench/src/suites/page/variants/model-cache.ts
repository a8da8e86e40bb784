import { Module, type DynamicModule } from '@nestjs/common'
import {
  type ExtendPrismaOptions,
  type CacheOf,
  getModelCacheToken,
  ModelCacheModule,
  modelCaches,
  provideExtendedPrisma,
} from 'model-cache'
import type { AuctionBid, AuctionItem, Prisma, PrismaClient } from '#prisma/client/client.js'
import {
  bidOrder,
  headSelect,
  lotOrder,
  type Head,
  type OpenPageRows,
  type PageEnvironment,
  type PageParts,
  type PageRows,
} from '../page-rows.ts'
import { TTL_MS } from '../../../harness/peers.ts'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** Whether rows also stay in the memory of the process, and whether all who read one in a tick get the same object. */
export type Mode = 'store' | 'l1' | 'shared'

const optionsOf = (mode: Mode) => ({
  ttl: TTL_MS,
  ...(mode !== 'store' && { l1: { ttl: TTL_MS, maxEntries: 5_000 } }),
  ...(mode === 'shared' && { rows: 'shared' as const }),
})

/** Rows by id. */
const rowCaches = (mode: Mode) => ({
  heads: defineModelCache('Fundraiser', { select: headSelect, ...optionsOf(mode) }),
  lots: defineModelCache('AuctionItem', optionsOf(mode)),
  bids: defineModelCache('AuctionBid', optionsOf(mode)),
  users: defineModelCache('User', optionsOf(mode)),
})

/** With the lists that `npx model-cache suggest` prints for the page. */
const listedCaches = (mode: Mode) => {
  const { heads, users } = rowCaches(mode)
  return [
    heads,
    users,
    defineModelCache('AuctionItem', {
      ...optionsOf(mode),
      lists: { byFundraiserId: { by: 'fundraiserId', orderBy: lotOrder } },
    }),
    defineModelCache('AuctionBid', {
      ...optionsOf(mode),
      lists: { byAuctionItemId: { by: 'auctionItemId', orderBy: [...bidOrder] } },
    }),
  ] as const
}

/** Lists of ids, as in the demo: an edit of a row does not end the list. */
const listCaches = (mode: Mode) => ({
  lotLists: defineModelCache('Fundraiser', {
    name: 'LotList',
    select: { id: true, auctionItems: { select: { id: true }, orderBy: lotOrder } },
    dependsOn: 'ttl',
    ...optionsOf(mode),
  }),
  bidLists: defineModelCache('AuctionItem', {
    name: 'BidList',
    select: { id: true, bids: { select: { id: true }, orderBy: [...bidOrder] } },
    dependsOn: 'ttl',
    ...optionsOf(mode),
  }),
})

type Caches = ReturnType<typeof rowCaches> & ReturnType<typeof listCaches>
type Injected = { readonly [Name in keyof Caches]: CacheOf<Caches[Name]> }

const PRISMA = Symbol('the extended client')

class PrismaModule {}
Module({})(PrismaModule)

/** The modules of an application with these caches, as docs/getting-started.md has them. */
function modules(
  { prisma, valkeyUrl }: PageEnvironment,
  caches: Extract<Parameters<typeof ModelCacheModule.forFeature>[0], readonly unknown[]>,
  options: ExtendPrismaOptions = {},
): DynamicModule[] {
  return [
    {
      module: PrismaModule,
      global: true,
      providers: [provideExtendedPrisma(PRISMA, () => prisma, [], options)],
      exports: [PRISMA],
    },
    ModelCacheModule.forRoot({ prisma: PRISMA, valkey: { url: valkeyUrl } }),
    ModelCacheModule.forFeature([...caches]),
  ]
}

const existing = <Row>(rows: readonly (Row | null)[]): Row[] => rows.filter((row) => row !== null)
const idsOf = (list: readonly { readonly id: string }[] = []): string[] => list.map(({ id }) => id)

/** `get` and `getMany` in the resolvers, as in the demo. */
export function openInjected(environment: PageEnvironment, mode: Mode): PageParts {
  const caches = { ...rowCaches(mode), ...listCaches(mode) }
  const names = Object.keys(caches)
  return {
    imports: modules(environment, Object.values(caches)),
    rows: {
      inject: Object.values(caches).map(({ name }) => getModelCacheToken(name)),
      useFactory(...injected): OpenPageRows {
        const byName = Object.fromEntries(names.map((name, index) => [name, injected[index]]))
        const { heads, lots, bids, users, lotLists, bidLists } = byName as unknown as Injected
        const rows: PageRows = {
          head: (id) => heads.get(id),
          async lots({ id }: Head) {
            const list = await lotLists.get(id)
            return existing(await lots.getMany(idsOf(list?.auctionItems)))
          },
          async bids({ id }: AuctionItem) {
            const list = await bidLists.get(id)
            return existing(await bids.getMany(idsOf(list?.bids)))
          },
          bidder: ({ bidderId }: AuctionBid) => users.get(bidderId),
        }
        return () => rows
      },
    },
  }
}

/** Resolvers of Prisma with a client that answers from the caches. */
export function openReads(
  environment: PageEnvironment,
  mode: Mode,
  resolvers: (prisma: PrismaClient) => PageRows,
): PageParts {
  return {
    imports: modules(environment, listedCaches(mode), { reads: 'all' }),
    rows: {
      inject: [PRISMA],
      useFactory(prisma: PrismaClient): OpenPageRows {
        const rows = resolvers(prisma)
        return () => rows
      },
    },
  }
}
