import { NestFactory } from '@nestjs/core'
import {
  type CacheOf,
  type ExtendPrismaOptions,
  getModelCacheToken,
  ModelCacheModule,
  modelCaches,
  provideExtendedPrisma,
} from 'model-cache'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { TTL_MS } from '../../harness/peers.ts'
import { bidOrder, existing, headSelect, idsOf, lotOrder } from './rows.ts'
import type { PageEnvironment, PageRows } from './rows.ts'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** Whether rows also stay in the memory of the process, and whether all who read one in a tick get the same object. */
interface Mode {
  readonly l1?: { readonly ttl: number; readonly maxEntries: number }
  readonly rows?: 'shared'
}

const PRISMA = Symbol('the extended client')

/** The modules of an application with these caches, as docs/getting-started.md has them. */
function openModules(
  { prisma, valkeyUrl }: PageEnvironment,
  caches: Extract<Parameters<typeof ModelCacheModule.forFeature>[0], readonly unknown[]>,
  options: ExtendPrismaOptions = {},
) {
  const imports = [
    {
      module: class PrismaModule {},
      global: true,
      providers: [provideExtendedPrisma(PRISMA, () => prisma, [], options)],
      exports: [PRISMA],
    },
    ModelCacheModule.forRoot({ prisma: PRISMA, valkey: { url: valkeyUrl } }),
    ModelCacheModule.forFeature(caches),
  ]
  return NestFactory.createApplicationContext({ module: class Caches {}, imports }, { logger: false })
}

/** `get` and `getMany` in the resolvers, as in the demo; lists of ids, which an edit of a row does not end. */
export async function openInjected(environment: PageEnvironment, mode: Mode): Promise<PageRows> {
  const options = { ttl: TTL_MS, ...mode }
  const definitions = {
    heads: defineModelCache('Fundraiser', { select: headSelect, ...options }),
    lots: defineModelCache('AuctionItem', options),
    bids: defineModelCache('AuctionBid', options),
    users: defineModelCache('User', options),
    lotLists: defineModelCache('Fundraiser', {
      name: 'LotList',
      select: { id: true, auctionItems: { select: { id: true }, orderBy: lotOrder } },
      dependsOn: 'ttl',
      ...options,
    }),
    bidLists: defineModelCache('AuctionItem', {
      name: 'BidList',
      select: { id: true, bids: { select: { id: true }, orderBy: bidOrder } },
      dependsOn: 'ttl',
      ...options,
    }),
  }
  const app = await openModules(environment, Object.values(definitions))
  const cacheOf = <Name extends keyof typeof definitions>(name: Name) =>
    app.get<CacheOf<(typeof definitions)[Name]>>(getModelCacheToken(definitions[name]), { strict: false })
  const [heads, lots, bids, users] = [cacheOf('heads'), cacheOf('lots'), cacheOf('bids'), cacheOf('users')]
  const [lotLists, bidLists] = [cacheOf('lotLists'), cacheOf('bidLists')]
  return {
    head: (id) => heads.get(id),
    lots: async ({ id }) => existing(await lots.getMany(idsOf((await lotLists.get(id))?.auctionItems))),
    bids: async ({ id }) => existing(await bids.getMany(idsOf((await bidLists.get(id))?.bids))),
    bidder: ({ bidderId }) => users.get(bidderId),
  }
}

/** A client that answers from caches, with the lists that `npx model-cache suggest` prints for the page. */
export async function openReads(environment: PageEnvironment, mode: Mode): Promise<PrismaClient> {
  const options = { ttl: TTL_MS, ...mode }
  const lists = { byFundraiserId: { by: 'fundraiserId', orderBy: lotOrder } } as const
  const caches = [
    defineModelCache('Fundraiser', { select: headSelect, ...options }),
    defineModelCache('User', options),
    defineModelCache('AuctionItem', { ...options, lists }),
    defineModelCache('AuctionBid', {
      ...options,
      lists: { byAuctionItemId: { by: 'auctionItemId', orderBy: bidOrder } },
    }),
  ]
  return (await openModules(environment, caches, { reads: 'all' })).get<PrismaClient>(PRISMA)
}
