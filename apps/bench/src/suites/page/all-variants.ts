import { OURS, perRequest, PLAIN, sameRows, type PageVariant } from './page-rows.ts'
import { openDataLoader } from './variants/data-loader.ts'
import { openFloor } from './variants/floor.ts'
import { openInjected, openReads } from './variants/model-cache.ts'
import { openBentocache, openCacheManager } from './variants/peers.ts'
import { findUnique, include, listsOfIds } from './variants/prisma.ts'
import { openRedis, openRedisPage } from './variants/redis.ts'

export const allVariants: readonly PageVariant[] = [
  {
    name: PLAIN,
    note:
      'resolvers as in its guide to the n+1 problem: findUnique per row, lists of rows by the fluent API, which Prisma ' +
      'joins per tick; the one that the others are compared with',
    open: async ({ prisma }) => sameRows(findUnique(prisma)),
  },
  {
    name: 'Prisma include',
    note: 'one findUnique with include for the page; resolvers look into its result',
    open: async ({ prisma }) => sameRows(include(prisma)),
  },
  {
    name: 'DataLoader',
    isPeer: true,
    note: 'Prisma behind new loaders for each request, which read each user once; one findMany per batch',
    open: async ({ prisma }) => perRequest(openDataLoader(prisma)),
  },
  {
    name: 'cache-manager',
    isPeer: true,
    note: 'the result of each resolver in wrap, in the two layers of its README: CacheableMemory and @keyv/redis',
    open: async (environment) => sameRows(await openCacheManager(environment)),
  },
  {
    name: 'bentocache',
    isPeer: true,
    note: 'the result of each resolver in getOrSet, in the two layers of its guide: memory and Redis, with its bus',
    open: async (environment) => sameRows(await openBentocache(environment)),
  },
  {
    name: 'Redis',
    isPeer: true,
    note: 'by hand: JSON per result of a resolver, one MGET per batch of DataLoader, dates and decimals restored in place',
    open: async (environment) => perRequest(openRedis(environment)),
  },
  {
    name: 'Redis page',
    isPeer: true,
    note: 'by hand: all rows of the page as one JSON value, which any write to one of them would have to end',
    open: async (environment) => perRequest(openRedisPage(environment)),
  },
  {
    name: 'model-cache',
    note: 'injected caches in the resolvers, as in the demo, without L1',
    open: async (environment) => openInjected(environment, 'store'),
  },
  {
    name: 'model-cache L1',
    note: 'the same with L1, the second layer of the peers',
    open: async (environment) => openInjected(environment, 'l1'),
  },
  {
    name: OURS.injected,
    note: "the same with L1 and rows: 'shared'",
    open: async (environment) => openInjected(environment, 'shared'),
  },
  {
    name: OURS.reads,
    note:
      "the resolvers of Prisma unchanged, and a client with `reads: 'all'`, with L1 and the two lists that the command " +
      '`suggest` prints',
    open: async (environment) => openReads(environment, 'l1', findUnique),
  },
  {
    name: 'model-cache reads ids',
    note: 'the same client under resolvers that query the ids of a list, and then its rows by id',
    open: async (environment) => openReads(environment, 'l1', listsOfIds),
  },
  {
    name: 'floor',
    note: 'all rows in the memory of the process, never read again: what the application itself takes',
    open: async (environment) => sameRows(await openFloor(environment)),
  },
]
