import { PrismaPg } from '@prisma/adapter-pg'
import { Redis } from 'ioredis'
import type { ModelCache } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import { PrismaClient, type AuctionItem } from '#prisma/client/client.js'
import { createPrefixes } from '../../harness/codecs/prefixes.ts'
import { reviveLot } from '../../harness/codecs/revive.ts'
import { valuesOf } from '../../harness/codecs/values.ts'
import type { Variant } from '../../harness/comparison.ts'
import type { CountingSource } from '../../harness/fixtures/counting-source.ts'
import { defineLots, sourceOf } from '../../harness/fixtures/lot-cache.ts'
import { auctionItem } from '../../harness/fixtures/models.ts'
import {
  connectPipelined,
  openAsyncCacheDedupe,
  openBentocache,
  openCacheManager,
  TTL_MS,
} from '../../harness/peers.ts'

export interface StormCase extends Variant {
  /** Connects it, in its own process. */
  open(environment: BurstEnvironment): Promise<OpenCase>
}

interface BurstEnvironment {
  /** A `redis://` URL of an empty database. */
  readonly url: string
  readonly source: CountingSource
  readonly lots: ReadonlyMap<string, AuctionItem>
}

interface OpenCase {
  /** Reads one row, as a resolver does. */
  get(id: string): Promise<unknown>
  /** Reads all rows of one user; used instead of `get`. */
  getMany?(ids: readonly string[]): Promise<readonly unknown[]>
  /** The row in the result of `get`, where that is not the row itself. */
  rowOf?(given: unknown): unknown
  /** Drops what the process keeps, when the store is emptied. */
  forget?(): Promise<void>
}

const ofLibrary = (
  name: string,
  note: string,
  options: Parameters<typeof defineLots>[0] = {},
  more: (cache: ModelCache<AuctionItem, string>) => Partial<OpenCase> = () => ({}),
): StormCase => ({
  name,
  note,
  async open({ url, source }) {
    const store = new ValkeyStore({ url })
    await store.connect()
    const cache = createModelCache(defineLots({ ttl: TTL_MS, ...options }), {
      store,
      source: sourceOf((ids: readonly string[]) => source.load(ids)),
    })
    return { get: (id) => cache.get(id), ...more(cache) }
  },
})

const JSON_PEER =
  'stores JSON and restores dates and decimals in place, by a loop over the declared fields; ioredis pipelines the ' +
  'commands of one turn; no memory layer'

const peer = (
  name: string,
  open: (environment: BurstEnvironment) => Promise<OpenCase['get']>,
  note = JSON_PEER,
): StormCase => ({
  name,
  note,
  isPeer: true,
  open: async (environment) => ({ get: await open(environment) }),
})

export const allCases: readonly StormCase[] = [
  ofLibrary('model-cache', 'without a memory layer'),
  ofLibrary('model-cache-l1', 'with L1', { l1: { ttl: TTL_MS, maxEntries: 10_000 } }, (cache) => ({
    forget: () => cache.invalidateAll(),
  })),
  ofLibrary('model-cache-shared', "rows: 'shared', all callers of a lot get the one frozen row", {
    rows: 'shared',
  }),
  ofLibrary('model-cache-getMany', 'one getMany per user', {}, (cache) => ({
    getMany: (ids) => cache.getMany(ids),
  })),
  {
    name: 'raw',
    note: 'the floor: one MGET of the different keys, undecoded; misses are one query and one MSET',
    open: async (environment) => ({
      get: byOneMget(environment, JSON.stringify, (text) => text),
      rowOf: (text) => reviveLot(JSON.parse(text as string) as object),
    }),
  },
  {
    name: 'rows-floor',
    note:
      'as raw, but every caller gets a copy of a row that the process has, and one piece of the text for each of its strings: the ' +
      'cost of rows that need no decoding',
    async open(environment) {
      const codec = auctionItem.compile()
      const read = valuesOf(codec, [...environment.lots.values()])
      return { get: byOneMget(environment, (row) => codec.encode(row), read) }
    },
  },
  {
    name: 'v1',
    note: 'GET for each read, pipelined; JSON.parse with a reviver that looks for prefixes',
    async open(environment) {
      const { encode, decode } = createPrefixes()
      return { get: byKey(environment, encode, (text) => decode(text as never)) }
    },
  },
  {
    name: 'v2',
    note: 'GET for each read, pipelined; the exported createStringifier and createReviver',
    open: async (environment) => ({
      get: byKey(environment, auctionItem.createStringifier().stringify, auctionItem.createReviver().revive),
    }),
  },
  peer('bentocache', async ({ url, source }) => {
    const cache = await openBentocache({ url, revive: reviveLot as never })
    return (id) => cache.getOrSet({ key: id, ttl: TTL_MS, factory: () => source.loadOne(id) })
  }),
  peer(
    'cache-manager',
    async ({ url, source }) => {
      const cache = await openCacheManager({ url, revive: reviveLot as never })
      return (id) => cache.wrap(id, () => source.loadOne(id))
    },
    'over keyv and @keyv/redis, whose client is node-redis; stores JSON, restored as in the others; no memory layer',
  ),
  peer('async-cache-dedupe', async ({ url, source }) => {
    const cache = await openAsyncCacheDedupe({ url, revive: reviveLot as never })
    const { lot } = cache.define('lot', (id: string) => source.loadOne(id))
    return (id) => lot(id)
  }),
  peer('layered-loader', async ({ url, source }) => {
    const { Loader, RedisCache } = await import('layered-loader')
    /** Its JSON option has no reviver. */
    class RevivingRedisCache extends RedisCache<AuctionItem> {
      override async get(key: string): Promise<AuctionItem | undefined> {
        const lot = await super.get(key)
        return lot && reviveLot(lot)
      }
    }
    const loader = new Loader<AuctionItem>({
      asyncCache: new RevivingRedisCache(connectPipelined(url), { json: true, ttlInMsecs: TTL_MS }),
      dataSourceGetOneFn: (id) => source.loadOne(id),
    })
    return (id) => loader.get(id)
  }),
  peer(
    'prisma-extension-redis',
    async ({ url, source }) => {
      const { PrismaExtensionRedis } = await import('prisma-extension-redis')
      const transformer = {
        serialize: (context: unknown) => JSON.stringify(context),
        deserialize(text: unknown) {
          const context = JSON.parse(text as string) as { result: object }
          reviveLot(context.result)
          return context
        },
      }
      const config = { type: 'STRING', ttl: TTL_MS / 1000, stale: 0, auto: true, transformer } as const
      // It never connects.
      const adapter = new PrismaPg({ connectionString: 'postgresql://127.0.0.1:1/nowhere' })
      const prisma = new PrismaClient({ adapter })
        .$extends(PrismaExtensionRedis({ client: connectPipelined(url), config }))
        .$extends({
          query: { auctionItem: { findUnique: ({ args }) => source.loadOne(args.where.id!) as never } },
        })
      return (id) => prisma.auctionItem.findUnique({ where: { id } }) as Promise<unknown>
    },
    `${JSON_PEER}; findUnique on a Prisma client whose queries the source answers before they become SQL, so its ` +
      'misses lack what Prisma takes for a query',
  ),
]

function byKey(
  { url, source }: BurstEnvironment,
  encode: (row: unknown) => string | Buffer,
  decode: (text: string) => unknown,
): OpenCase['get'] {
  const client = connectPipelined(url)
  return async (id) => {
    const key = `AuctionItem:${id}`
    const text = await client.get(key)
    if (text !== null) return decode(text)
    const row = await source.loadOne(id)
    void client.set(key, encode(row), 'PX', TTL_MS)
    return row
  }
}

/**
 * Reads of one turn are one MGET of the different keys, and every caller gets `decode(text)`. Misses are one query and one
 * MSET of texts that were written before.
 */
function byOneMget(
  { url, source, lots }: BurstEnvironment,
  encode: (row: unknown) => string,
  decode: (text: string) => unknown,
): OpenCase['get'] {
  const client = new Redis(url)
  const texts = new Map([...lots].map(([id, row]) => [id, encode(row)]))
  let requested = new Map<string, PromiseWithResolvers<unknown>>()

  const answer = async (): Promise<void> => {
    const reads = requested
    requested = new Map()
    const ids = [...reads.keys()]
    const values = await client.mget(ids)
    const missed = ids.filter((id, index) => {
      const value = values[index]!
      if (value !== null) reads.get(id)!.resolve(decode(value))
      return value === null
    })
    if (missed.length === 0) return
    await source.load(missed)
    void client.mset(new Map(missed.map((id) => [id, texts.get(id)!])))
    for (const id of missed) reads.get(id)!.resolve(decode(texts.get(id)!))
  }

  return (id) => {
    if (requested.size === 0) setImmediate(() => void answer())
    let read = requested.get(id)
    if (!read) requested.set(id, (read = Promise.withResolvers()))
    return read.promise
  }
}
