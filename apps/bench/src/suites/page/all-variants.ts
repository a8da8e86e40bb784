import { perRequest, sameRows, type PageEnvironment, type PageParts, type PageVariant } from './page-rows.ts'
import type { Mode } from './variants/model-cache.ts'

const loadPrisma = () => import('./variants/prisma.ts')
const loadPeers = () => import('./variants/peers.ts')
const loadRedis = () => import('./variants/redis.ts')
const loadModelCache = () => import('./variants/model-cache.ts')

async function openReads(
  environment: PageEnvironment,
  mode: Mode,
  resolvers: 'findUnique' | 'listsOfIds',
): Promise<PageParts> {
  return (await loadModelCache()).openReads(environment, mode, (await loadPrisma())[resolvers])
}

/** As the demo reads its page, and with unchanged resolvers of Prisma. */
export const OURS = { injected: 'model-cache shared', reads: 'model-cache reads' } as const

/** What the others are compared with. */
export const PLAIN = 'Prisma'

export const allVariants: readonly PageVariant[] = [
  {
    name: PLAIN,
    note:
      'resolvers as in its guide to the n+1 problem: findUnique per row, lists of rows by the fluent API, which Prisma ' +
      'joins per tick; the one that the others are compared with',
    open: async ({ prisma }) => sameRows((await loadPrisma()).findUnique(prisma)),
  },
  {
    name: 'Prisma include',
    note: 'one findUnique with include for the page; resolvers look into its result',
    open: async ({ prisma }) => sameRows((await loadPrisma()).include(prisma)),
  },
  {
    name: 'DataLoader',
    isPeer: true,
    note: 'Prisma behind new loaders for each request, which read each user once; one findMany per batch',
    open: async ({ prisma }) =>
      perRequest((await import('./variants/data-loader.ts')).openDataLoader(prisma)),
  },
  {
    name: 'cache-manager',
    isPeer: true,
    note: 'the result of each resolver in wrap, in the two layers of its README: CacheableMemory and @keyv/redis',
    open: async (environment) => sameRows(await (await loadPeers()).openCacheManager(environment)),
  },
  {
    name: 'bentocache',
    isPeer: true,
    note: 'the result of each resolver in getOrSet, in the two layers of its guide: memory and Redis, with its bus',
    open: async (environment) => sameRows(await (await loadPeers()).openBentocache(environment)),
  },
  {
    name: 'Redis',
    isPeer: true,
    note: 'by hand: JSON per result of a resolver, one MGET per batch of DataLoader, dates and decimals restored in place',
    open: async (environment) => perRequest((await loadRedis()).openRedis(environment)),
  },
  {
    name: 'Redis page',
    isPeer: true,
    note: 'by hand: all rows of the page as one JSON value, which any write to one of them would have to end',
    open: async (environment) => perRequest((await loadRedis()).openRedisPage(environment)),
  },
  {
    name: 'model-cache',
    note: 'injected caches in the resolvers, as in the demo, without L1',
    open: async (environment) => (await loadModelCache()).openInjected(environment, 'store'),
  },
  {
    name: 'model-cache L1',
    note: 'the same with L1, the second layer of the peers',
    open: async (environment) => (await loadModelCache()).openInjected(environment, 'l1'),
  },
  {
    name: OURS.injected,
    note: "the same with L1 and rows: 'shared'",
    open: async (environment) => (await loadModelCache()).openInjected(environment, 'shared'),
  },
  {
    name: OURS.reads,
    note:
      'the resolvers of Prisma unchanged, and a client with `reads`, with L1: rows by id come from the caches, lists ' +
      'from the database',
    open: (environment) => openReads(environment, 'l1', 'findUnique'),
  },
  {
    name: 'model-cache reads ids',
    note: 'the same client under resolvers that query the ids of a list, and then its rows by id',
    open: (environment) => openReads(environment, 'l1', 'listsOfIds'),
  },
  {
    name: 'floor',
    note: 'all rows in the memory of the process, never read again: what the application itself takes',
    open: async (environment) => sameRows(await (await import('./variants/floor.ts')).openFloor(environment)),
  },
]
