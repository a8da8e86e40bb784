import type { OpenLists, ListsEnvironment, Variant } from './variant.ts'
import type { Mode } from './variants/model-cache.ts'

const loadDataLoader = () => import('./variants/data-loader.ts')
const loadPeers = () => import('./variants/peers.ts')

/** What the comparison is about. */
export const OURS = 'model-cache'
/** The same without memory: what it reads is never stale, while memory hears of a write by a message. */
export const STORE_ONLY = `${OURS}, store only`
/** What it is compared with, beside the best peer. */
export const DATA_LOADER = 'DataLoader'

const openOurs =
  (mode: Mode) =>
  async (environment: ListsEnvironment): Promise<OpenLists> =>
    (await import('./variants/model-cache.ts')).openModelCache(environment, mode)

const JSON_VALUES =
  'the lots, the bids of each lot and the name of each user as JSON values; dates and decimals restored in place, misses ' +
  'of a turn in one query'

export const allVariants: readonly Variant[] = [
  {
    name: 'Prisma include',
    isPeer: true,
    note: 'one findMany with include and take for the page, which Prisma makes three queries of',
    open: async ({ prisma }) => (await import('./variants/prisma.ts')).openInclude(prisma),
  },
  {
    name: DATA_LOADER,
    isPeer: true,
    note:
      'Prisma behind new loaders for each request, which read each user once; the highest bids of all lots by one ' +
      '$queryRaw, which takes half of the processor time of findMany',
    open: async ({ prisma }) => (await loadDataLoader()).openPerRequest(prisma),
  },
  {
    name: 'DataLoader per tick',
    isPeer: true,
    note: 'the same with loaders that all requests share, and that keep nothing beyond a batch',
    open: async ({ prisma }) => (await loadDataLoader()).openPerTick(prisma),
  },
  {
    name: 'bentocache',
    isPeer: true,
    isCache: true,
    note:
      `${JSON_VALUES}; each under a tag; memory, Redis and bus as in its guide. Its memory layer keeps texts: with ` +
      'serialize: false version 1.6.1 fails as soon as it reads a value from Redis',
    open: async (environment) => (await loadPeers()).openBentocache(environment),
  },
  {
    name: 'cache-manager',
    isPeer: true,
    isCache: true,
    note: `${JSON_VALUES}; wrap for each; Redis alone, since it has no bus for a memory layer`,
    open: async (environment) => (await loadPeers()).openWrap(environment),
  },
  {
    name: 'cache-manager mget',
    isPeer: true,
    isCache: true,
    note: 'the same with mget for the lists and names of a request, and mset for those that it has loaded',
    open: async (environment) => (await loadPeers()).openMget(environment),
  },
  {
    name: 'async-cache-dedupe',
    isPeer: true,
    isCache: true,
    note:
      'the lots, and the bids of each lot with their names as JSON values, with references to the lot and the users; as ' +
      'above; its storage of Redis, which has no memory layer',
    open: async (environment) => (await loadPeers()).openAsyncCacheDedupe(environment),
  },
  {
    name: OURS,
    isCache: true,
    note:
      'lists of the demo and rows by id, shared, and in memory as well; misses of a turn in one query, but of lists with ' +
      'a limit in one each; writers only use the extended client',
    open: openOurs({ hasL1: true, sharesRows: true }),
  },
  {
    name: STORE_ONLY,
    isCache: true,
    note: 'the same without l1',
    open: openOurs({ hasL1: false, sharesRows: true }),
  },
  {
    name: `${OURS}, copies`,
    isCache: true,
    note: 'the same without l1, with rows of its own for each user',
    open: openOurs({ hasL1: false, sharesRows: false }),
  },
]
