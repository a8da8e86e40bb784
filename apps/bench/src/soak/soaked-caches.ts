import { setTimeout as sleep } from 'node:timers/promises'
import { defineModelCache } from 'model-cache'
import {
  createLoadPermits,
  createModelCache,
  Slicer,
  Tick,
  ValkeyStore,
  type ReadThroughCache,
} from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { auctionItemSchema } from '../codec/fixtures/lots.ts'
import type { CountingSource } from '../storm/counting-source.ts'

export interface SoakedCaches {
  readonly caches: readonly ReadThroughCache<AuctionItem, string>[]
  /** Resolves when nothing is under way or kept in this process, and the store serves. */
  rest(): Promise<void>
}

const base = {
  model: 'AuctionItem',
  schema: auctionItemSchema,
  id: 'id',
  ttl: '20s',
  notFoundTtl: '5s',
} as const
const l1 = { ttl: '2s', maxEntries: 2_000 } as const
/** Each way of keeping rows, and rows in memory that are fewer than those that are read. */
const definitions = [
  defineModelCache<AuctionItem>()({ ...base, name: 'Copies' }),
  defineModelCache<AuctionItem>()({ ...base, name: 'CopiesInMemory', l1 }),
  defineModelCache<AuctionItem>()({ ...base, name: 'Shared', rows: 'shared' }),
  defineModelCache<AuctionItem>()({ ...base, name: 'SharedInMemory', rows: 'shared', l1 }),
]

/** Caches of each kind over one store, which share what the caches of an application share. */
export async function openSoakedCaches(url: string, source: CountingSource): Promise<SoakedCaches> {
  const store = new ValkeyStore({ url })
  await store.connect()
  const shared = { store, tick: new Tick(), slicer: new Slicer(), loads: createLoadPermits() }
  const caches = definitions.map((definition) =>
    createModelCache<AuctionItem, string>(definition, {
      ...shared,
      source: { load: (ids) => source.load(ids), mayBlameOneId: () => false },
    }),
  )
  const isServing = (): Promise<boolean> =>
    store.ping().then(
      () => true,
      () => false,
    )
  return {
    caches,
    async rest() {
      while (!(await isServing())) await sleep(50)
      // Rows that are kept on purpose come and go by megabytes, in which a leak would not be seen.
      for (const cache of caches) await cache.invalidateAll()
      for (const cache of caches) await cache.drain()
    },
  }
}
