import { DATA_LOADER, OURS, STORE_ONLY, type Variant } from './variant.ts'
import { type Mode, openModelCache } from './variants/model-cache.ts'
import { openAsyncCacheDedupe, openBentocache, openMget, openWrap } from './variants/peers.ts'
import { openInclude, openPerRequest, openPerTick } from './variants/without-cache.ts'

const openOurs =
  (mode: Mode): Variant['open'] =>
  (environment) =>
    openModelCache(environment, mode)

const JSON_VALUES =
  'the lots, the bids of each lot and the name of each user as JSON values; dates and decimals restored in place, misses ' +
  'of a turn in one query'

export const allVariants: readonly Variant[] = [
  {
    name: 'Prisma include',
    isPeer: true,
    note: 'one findMany with include and take for the page, which Prisma makes three queries of',
    open: async ({ prisma }) => openInclude(prisma),
  },
  {
    name: DATA_LOADER,
    isPeer: true,
    note:
      'Prisma behind new loaders for each request, which read each user once; the highest bids of all lots by one ' +
      '$queryRaw, which takes half of the processor time of findMany',
    open: async ({ prisma }) => openPerRequest(prisma),
  },
  {
    name: 'DataLoader per tick',
    isPeer: true,
    note: 'the same with loaders that all requests share, and that keep nothing beyond a batch',
    open: async ({ prisma }) => openPerTick(prisma),
  },
  {
    name: 'bentocache',
    isPeer: true,
    isCache: true,
    note:
      `${JSON_VALUES}; each under a tag; memory, Redis and bus as in its guide. Its memory layer keeps texts: with ` +
      'serialize: false version 1.6.1 fails as soon as it reads a value from Redis',
    open: openBentocache,
  },
  {
    name: 'cache-manager',
    isPeer: true,
    isCache: true,
    note: `${JSON_VALUES}; wrap for each; Redis alone, since it has no bus for a memory layer`,
    open: openWrap,
  },
  {
    name: 'cache-manager mget',
    isPeer: true,
    isCache: true,
    note: 'the same with mget for the lists and names of a request, and mset for those that it has loaded',
    open: openMget,
  },
  {
    name: 'async-cache-dedupe',
    isPeer: true,
    isCache: true,
    note:
      'the lots, and the bids of each lot with their names as JSON values, with references to the lot and the users; as ' +
      'above; its storage of Redis, which has no memory layer',
    open: openAsyncCacheDedupe,
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
