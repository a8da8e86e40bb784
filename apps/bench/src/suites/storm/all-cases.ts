import type { StormCase } from './cases/storm-case.ts'

const JSON_PEER =
  'stores JSON and restores dates and decimals in place, by a loop over the declared fields; ioredis pipelines the ' +
  'commands of one turn; no memory layer'

export const allCases: readonly StormCase[] = [
  {
    name: 'model-cache',
    note: 'without a memory layer',
    open: async (environment) => (await import('./cases/model-cache.ts')).openModelCache(environment),
  },
  {
    name: 'model-cache-l1',
    note: 'with L1',
    open: async (environment) => (await import('./cases/model-cache.ts')).openModelCacheL1(environment),
  },
  {
    name: 'model-cache-shared',
    note: "rows: 'shared', all callers of a lot get the one frozen row",
    open: async (environment) => (await import('./cases/model-cache.ts')).openModelCacheShared(environment),
  },
  {
    name: 'model-cache-getMany',
    note: 'one getMany per user',
    open: async (environment) => (await import('./cases/model-cache.ts')).openModelCacheGetMany(environment),
  },
  {
    name: 'raw',
    note: 'the floor: one MGET of the different keys, undecoded; misses are one query and one MSET',
    open: async (environment) => (await import('./cases/floors.ts')).openRaw(environment),
  },
  {
    name: 'rows-floor',
    note:
      'as raw, but every caller gets a new object in the shape of a lot, of constants and pieces of the text: the cost of ' +
      'rows that need no decoding',
    open: async (environment) => (await import('./cases/floors.ts')).openRowsFloor(environment),
  },
  {
    name: 'v1',
    note: 'GET for each read, pipelined; JSON.parse with a reviver that looks for prefixes',
    open: async (environment) => (await import('./cases/per-key.ts')).openV1(environment),
  },
  {
    name: 'v2',
    note: 'GET for each read, pipelined; the exported createStringifier and createReviver',
    open: async (environment) => (await import('./cases/per-key.ts')).openV2(environment),
  },
  {
    name: 'bentocache',
    isPeer: true,
    note: JSON_PEER,
    open: async (environment) => (await import('./cases/peers.ts')).openBentocache(environment),
  },
  {
    name: 'cache-manager',
    isPeer: true,
    note: 'over keyv and @keyv/redis, whose client is node-redis; stores JSON, restored as in the others; no memory layer',
    open: async (environment) => (await import('./cases/peers.ts')).openCacheManager(environment),
  },
  {
    name: 'async-cache-dedupe',
    isPeer: true,
    note: JSON_PEER,
    open: async (environment) => (await import('./cases/peers.ts')).openAsyncCacheDedupe(environment),
  },
  {
    name: 'layered-loader',
    isPeer: true,
    note: JSON_PEER,
    open: async (environment) => (await import('./cases/peers.ts')).openLayeredLoader(environment),
  },
  {
    name: 'prisma-extension-redis',
    isPeer: true,
    note:
      `${JSON_PEER}; findUnique on a Prisma client whose queries the source answers before they become SQL, so its ` +
      'misses lack what Prisma takes for a query',
    open: async (environment) => (await import('./cases/peers.ts')).openPrismaExtensionRedis(environment),
  },
]
