import { setTimeout as sleep } from 'node:timers/promises'
import { createLoadPermits, createModelCache, Slicer, Tick, ValkeyStore } from 'model-cache/advanced'
import type { ReadThroughCache } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import { type CountingSource, defineLots, idsByUser, sourceOf } from '../bench/built.ts'
import { Errors } from '../errors.ts'
import { isServing } from './at-rest.ts'

type Cache = ReadThroughCache<AuctionItem, string>

const base = { ttl: '20s', notFoundTtl: '5s' } as const
const l1 = { ttl: '2s', maxEntries: 2_000 } as const
/** Each way of keeping rows; L1 holds fewer rows than are read. */
const definitions = [
  defineLots({ ...base, name: 'Copies' }),
  defineLots({ ...base, name: 'CopiesInMemory', l1 }),
  defineLots({ ...base, name: 'Shared', rows: 'shared' }),
  defineLots({ ...base, name: 'SharedInMemory', rows: 'shared', l1 }),
]

/** Caches of each kind over one store, which share what the caches of an application share. */
export async function openSoakedCaches(url: string, source: CountingSource) {
  const store = new ValkeyStore({ url })
  await store.connect()
  const shared = { store, tick: new Tick(), slicer: new Slicer(), loads: createLoadPermits() }
  const load = sourceOf((ids: readonly string[]) => source.load(ids))
  const caches = definitions.map((definition): Cache =>
    createModelCache(definition, { ...shared, source: load }),
  )
  return {
    caches,
    /** Resolves when the store serves, and nothing is in flight or kept in this process. */
    async rest(): Promise<void> {
      while (!(await isServing(store))) await sleep(50)
      // Megabytes of rows that come and go would hide a leak.
      for (const cache of caches) await cache.invalidateAll()
      for (const cache of caches) await cache.drain()
    },
  }
}

/** Random bursts over the caches in turn, with invalidations among them. Errors are reads that were rejected, or returned another row. */
export function createBursts(
  caches: readonly Cache[],
  lots: ReadonlyMap<string, AuctionItem>,
  random: Random,
) {
  const ids = [...lots.keys()]
  let [storms, reads, invalidations] = [0, 0, 0]
  const errors = new Errors()

  const read = async (cache: Cache, id: string): Promise<void> => {
    reads++
    try {
      const row = await cache.get(id)
      if ((row?.id ?? null) !== (lots.get(id)?.id ?? null)) errors.note(`read ${id}, got ${row?.id}`)
    } catch (error) {
      errors.note(error)
    }
  }
  const invalidate = (cache: Cache): Promise<void> => {
    invalidations++
    if (random.chance(0.05)) return cache.invalidateAll()
    return cache.invalidate(Array.from({ length: random.integer(1, 50) }, () => random.pick(ids)))
  }

  return {
    async next(): Promise<void> {
      const cache = caches[storms++ % caches.length]!
      const users = idsByUser(ids, random.chance(0.5) ? 'same' : 'distinct').slice(0, random.integer(1, 50))
      const work: Promise<void>[] = users.flatMap((lotIds) => lotIds.map((id) => read(cache, id)))
      for (let i = 0; i < 20; i++) work.push(read(cache, `nothing ${random.integer(0, 100_000)}`))
      for (let i = random.integer(0, 3); i > 0; i--) work.push(invalidate(cache))
      if (random.chance(0.1)) work.push(cache.prime(users[0]!.map((id) => ({ ...lots.get(id)! }))))
      await Promise.all(work)
    },
    progress: () => ({ storms, reads, invalidations, ...errors.counts() }),
  }
}
