import assert from 'node:assert/strict'
import { type ModelCache, ModelCacheWrites } from 'model-cache'
import { createModelCache, MemoryStore, Slicer } from 'model-cache/advanced'
import type { CreateModelCacheOptions, ReadThroughCache } from 'model-cache/advanced'
import { compileCodec } from 'model-cache/codec'
import type { AuctionItem } from '#prisma/client/client.js'
import { defineLots, sourceOf } from '../../harness/fixtures/lot-cache.ts'
import { auctionItem } from '../../harness/fixtures/models.ts'
import type { Operation } from './allocation-case.ts'

const TTL_MS = 3_600_000
export const TOGETHER = 100

const [lot] = auctionItem.rows as readonly AuctionItem[]
/** Ids of one length, so that all rows are of one size. */
export const idOf = (number: number): string => `lot-${String(number).padStart(12, '0')}`
const lotOf = (id: string): AuctionItem => ({ ...lot!, id })
const lots = new Map(Array.from({ length: TOGETHER }, (_, i) => [idOf(i), lotOf(idOf(i))]))
const ids = [...lots.keys()]

/** Each id has a row, except those that begin with `none`. */
export const source = sourceOf(async (wanted: readonly string[]): Promise<AuctionItem[]> =>
  wanted.flatMap((id, i) => (id.startsWith('none') ? [] : (lots.get(id) ?? spareLot(id, i)))),
)

const spares = ids.map(lotOf)

/** Reused: what a database client allocates for a row is not the cache's. */
function spareLot(id: string, place: number): AuctionItem {
  const spare = spares[place]!
  spare.id = id
  return spare
}

export type Lots = ReadThroughCache<AuctionItem, string>
export type LotsOptions = Partial<CreateModelCacheOptions<AuctionItem, string>>

const options = { ttl: TTL_MS, notFoundTtl: TTL_MS } as const
const l1 = { ttl: TTL_MS, maxEntries: 1_000 }
const definitions = {
  copies: defineLots(options),
  shared: defineLots({ ...options, rows: 'shared' }),
  l1: defineLots({ ...options, l1 }),
  l1Shared: defineLots({ ...options, l1, rows: 'shared' }),
}
/** For Nest, which creates the source itself. */
export const countedLots = defineLots({
  ...options,
  load: (_client: never, wanted) => source.load(wanted as readonly string[]),
  dependsOn: [],
})

export function openLots(kind: keyof typeof definitions, parts: LotsOptions = {}): Lots {
  // Small, so that it is full before anything is counted; with a time budget that no turn exceeds.
  const store = new MemoryStore({ maxEntries: 500 })
  return createModelCache(definitions[kind], {
    store,
    source,
    slicer: new Slicer({ budgetMs: 1_000 }),
    ...parts,
  })
}

/** Reads one row again and again. */
export async function readOne(cache: Lots, id = ids[0]!): Promise<Operation> {
  await cache.get(id)
  await cache.drain()
  return { run: await readsOf(cache, id), close: () => cache.close() }
}

/** Returns a read of a row that is stored. */
export async function readsOf(
  cache: ModelCache<AuctionItem, string>,
  id = ids[0]!,
): Promise<Operation['run']> {
  assert.deepEqual(await cache.get(id), lots.get(id) ?? null)
  return () => cache.get(id)
}

/** Fences and releases the same rows again and again. Without rows, the write concerns no cache. */
export async function writeLots(count: number): Promise<Operation> {
  const writes = new ModelCacheWrites()
  const cache = openLots('copies', { writes })
  const written = ids.slice(0, count).map((id) => ({ id }))
  await cache.getMany(ids.slice(0, count))
  await cache.drain()
  return {
    async run() {
      const unit = writes.begin()
      if (count === 0) unit.noteWrite()
      else unit.markWritten(definitions.copies.model, written)
      await unit.fence()
      await unit.end()
    },
    close: () => cache.close(),
  }
}

/** Reads rows that were not read before. */
export async function readNew(cache: Lots, count: number): Promise<Operation> {
  let next = TOGETHER
  const run = async (): Promise<void> => {
    const wanted = Array.from({ length: count }, () => idOf(next++))
    await Promise.all(wanted.map((id) => cache.get(id)))
    await cache.drain()
  }
  assert.deepEqual(await cache.get(idOf(next)), lotOf(idOf(next++)))
  return { run, close: () => cache.close() }
}

/** Reads 100 rows in one tick, or one row 100 times. */
export async function readTogether(cache: Lots, sameRow: boolean): Promise<Operation> {
  const wanted = sameRow ? ids.map(() => ids[0]!) : ids
  const run = (): Promise<unknown[]> => Promise.all(wanted.map((id) => cache.get(id)))
  await run()
  await cache.drain()
  assert.deepEqual(
    await run(),
    wanted.map((id) => lots.get(id)),
  )
  return { run, close: () => cache.close() }
}

/** The least that a read needs: a promise, a turn of the event loop, a request to the store, and the row. */
export async function readBarely(): Promise<Operation> {
  const codec = compileCodec(auctionItem.schema, { name: 'AuctionItem' })
  const [id = ''] = ids
  const text = codec.encode(lots.get(id)!)
  const store = { getMany: async (keys: readonly string[]) => keys.map(() => text) }
  const run = (): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    setImmediate(() => {
      store.getMany([`mc:{AuctionItem}:${id}`]).then(([found]) => resolve(codec.decode(found!)), reject)
    })
    return promise
  }
  assert.deepEqual(await run(), lots.get(id))
  return { run }
}
