/** A process of random bursts over caches of every kind, with invalidations among them, without a database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLoadPermits, createModelCache, Slicer, Tick, ValkeyStore } from 'model-cache/advanced'
import type { ReadThroughCache } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { createRandom } from '#prisma/demo/random.js'
import { buildLots, createCountingSource, defineLots, idsByUser, sourceOf } from '../bench/built.ts'
import { serveParent } from '../bench/harness.ts'
import { Errors } from '../errors.ts'
import { settingsOf } from '../process.ts'
import { numbers } from '../users.ts'
import { isServing, takeHolding } from './at-rest.ts'

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
/** Between two bursts, to leave time to other programs. */
const PAUSE_MS = 10

const lots = buildLots()
const ids = [...lots.keys()]
const random = createRandom('model-cache bench soak')
const counting = createCountingSource(lots)
const store = new ValkeyStore({ url: settingsOf<{ valkeyUrl: string }>().valkeyUrl })
await store.connect()
// What the caches of an application share.
const shared = { store, tick: new Tick(), slicer: new Slicer(), loads: createLoadPermits() }
const source = sourceOf((wanted: readonly string[]) => counting.load(wanted))
const caches = definitions.map((definition): Cache => createModelCache(definition, { ...shared, source }))

/** Reads that were rejected, or returned another row. */
const errors = new Errors()
let [storms, reads, invalidations, loads] = [0, 0, 0, 0]

async function read(cache: Cache, id: string): Promise<void> {
  reads++
  try {
    const row = await cache.get(id)
    if ((row?.id ?? null) !== (lots.get(id)?.id ?? null)) errors.note(`read ${id}, got ${row?.id}`)
  } catch (error) {
    errors.note(error)
  }
}

function invalidate(cache: Cache): Promise<void> {
  invalidations++
  if (random.chance(0.05)) return cache.invalidateAll()
  return cache.invalidate(numbers(random.integer(1, 50)).map(() => random.pick(ids)))
}

/** On the caches in turn. */
async function burst(): Promise<void> {
  const cache = caches[storms++ % caches.length]!
  const users = idsByUser(ids, random.chance(0.5) ? 'same' : 'distinct').slice(0, random.integer(1, 50))
  const work: Promise<void>[] = users.flatMap((lotIds) => lotIds.map((id) => read(cache, id)))
  for (let i = 0; i < 20; i++) work.push(read(cache, `nothing ${random.integer(0, 100_000)}`))
  for (let i = random.integer(0, 3); i > 0; i--) work.push(invalidate(cache))
  if (random.chance(0.1)) work.push(cache.prime(users[0]!.map((id) => ({ ...lots.get(id)! }))))
  await Promise.all(work)
}

const methods = serveParent({
  /** Runs bursts for a while. Resolves when the store serves, and nothing is in flight or kept in this process. */
  async work(forMs: number) {
    const until = performance.now() + forMs
    do {
      await burst()
      await sleep(PAUSE_MS)
    } while (performance.now() < until)
    while (!(await isServing(store))) await sleep(50)
    // Megabytes of rows that come and go would hide a leak.
    for (const cache of caches) await cache.invalidateAll()
    for (const cache of caches) await cache.drain()
    loads += counting.takeCounts().queries
    return { storms, reads, invalidations, ...errors.counts(), loads }
  },
  look: takeHolding,
})
export type Bursting = typeof methods
