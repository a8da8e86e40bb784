import type { StormCase } from './storm-case.ts'

const JSON_PEER =
  'stores JSON, whose dates and decimals are revived in place by a loop over the declared fields; ioredis pipelines ' +
  'the commands of one turn; no memory layer'

export const allCases: readonly StormCase[] = [
  {
    name: 'model-cache',
    note: 'without a memory layer',
    open: async (environment) => (await import('./model-cache.ts')).openModelCache(environment),
  },
  {
    name: 'model-cache-l1',
    note: 'rows in the memory of the process as well',
    open: async (environment) => (await import('./model-cache.ts')).openModelCacheL1(environment),
  },
  {
    name: 'model-cache-shared',
    note: "rows: 'shared', all who ask for a lot are given the one frozen row",
    open: async (environment) => (await import('./model-cache.ts')).openModelCacheShared(environment),
  },
  {
    name: 'model-cache-getMany',
    note: 'one getMany per user',
    open: async (environment) => (await import('./model-cache.ts')).openModelCacheGetMany(environment),
  },
  {
    name: 'raw',
    note: 'the floor: one MGET of the different keys, texts that nobody decodes, on misses one query and one MSET',
    open: async (environment) => (await import('./raw.ts')).openRaw(environment),
  },
  {
    name: 'rows-floor',
    note:
      'as raw, but every caller is given a new object of the shape of a lot, of constants and of pieces of the text: ' +
      'what rows cost that nobody has to decode',
    open: async (environment) => (await import('./rows-floor.ts')).openRowsFloor(environment),
  },
  {
    name: 'v1',
    note: 'GET for each read, pipelined; JSON.parse with a reviver that looks for prefixes',
    open: async (environment) => (await import('./per-key.ts')).openV1(environment),
  },
  {
    name: 'v2',
    note: 'GET for each read, pipelined; the exported createStringifier and createReviver',
    open: async (environment) => (await import('./per-key.ts')).openV2(environment),
  },
  {
    name: 'bentocache',
    isPeer: true,
    note: JSON_PEER,
    open: async (environment) => (await import('./bentocache.ts')).openBentocache(environment),
  },
  {
    name: 'cache-manager',
    isPeer: true,
    note: 'over keyv and @keyv/redis, whose client is node-redis; stores JSON, revived like that of the others; no memory layer',
    open: async (environment) => (await import('./cache-manager.ts')).openCacheManager(environment),
  },
  {
    name: 'async-cache-dedupe',
    isPeer: true,
    note: JSON_PEER,
    open: async (environment) => (await import('./async-cache-dedupe.ts')).openAsyncCacheDedupe(environment),
  },
  {
    name: 'layered-loader',
    isPeer: true,
    note: JSON_PEER,
    open: async (environment) => (await import('./layered-loader.ts')).openLayeredLoader(environment),
  },
  {
    name: 'prisma-extension-redis',
    isPeer: true,
    note:
      `${JSON_PEER}; findUnique on a Prisma client whose queries the source answers before they become SQL, so its ` +
      'misses lack what Prisma takes for a query',
    open: async (environment) =>
      (await import('./prisma-extension-redis.ts')).openPrismaExtensionRedis(environment),
  },
]
