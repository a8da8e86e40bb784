import type { StormCase } from './storm-case.ts'

const JSON_PEER =
  'stores JSON and restores dates and decimals in place, by a loop over the declared fields; ioredis pipelines the ' +
  'commands of one turn; no memory layer'

type Libraries = (typeof import('./cases/model-cache.ts'))['modelCaches']
const ofLibrary = (name: keyof Libraries, note: string): StormCase => ({
  name,
  note,
  open: async (environment) => (await import('./cases/model-cache.ts')).modelCaches[name](environment),
})

type Floors = (typeof import('./cases/floors.ts'))['floors']
const other = (name: keyof Floors, note: string): StormCase => ({
  name,
  note,
  open: async (environment) => (await import('./cases/floors.ts')).floors[name](environment),
})

type Peers = (typeof import('./cases/peers.ts'))['peers']
const peer = (name: keyof Peers, note = JSON_PEER): StormCase => ({
  name,
  note,
  isPeer: true,
  open: async (environment) => (await import('./cases/peers.ts')).peers[name](environment),
})

export const allCases: readonly StormCase[] = [
  ofLibrary('model-cache', 'without a memory layer'),
  ofLibrary('model-cache-l1', 'with L1'),
  ofLibrary('model-cache-shared', "rows: 'shared', all callers of a lot get the one frozen row"),
  ofLibrary('model-cache-getMany', 'one getMany per user'),
  other('raw', 'the floor: one MGET of the different keys, undecoded; misses are one query and one MSET'),
  other(
    'rows-floor',
    'as raw, but every caller gets a new object in the shape of a lot, of constants and pieces of the text: the cost of ' +
      'rows that need no decoding',
  ),
  other('v1', 'GET for each read, pipelined; JSON.parse with a reviver that looks for prefixes'),
  other('v2', 'GET for each read, pipelined; the exported createStringifier and createReviver'),
  peer('bentocache'),
  peer(
    'cache-manager',
    'over keyv and @keyv/redis, whose client is node-redis; stores JSON, restored as in the others; no memory layer',
  ),
  peer('async-cache-dedupe'),
  peer('layered-loader'),
  peer(
    'prisma-extension-redis',
    `${JSON_PEER}; findUnique on a Prisma client whose queries the source answers before they become SQL, so its ` +
      'misses lack what Prisma takes for a query',
  ),
]
