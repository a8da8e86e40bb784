import assert from 'node:assert/strict'
import { createModelCache, Slicer, Tick, type ReadThroughCache } from 'model-cache/advanced'
import { createRandom } from '#prisma/demo/random.js'
import { FillingStore } from './filling-store.ts'
import { idAt, scaledRows, type ScaledRow } from './scaled-rows.ts'
import { startServers, type Look } from './started-servers.ts'
import type { Workload } from './workload.ts'

/** A workload with all its rows stored, on servers of its own. */
export interface OpenWorkload {
  readonly server: string
  readonly workload: Workload
  /** Of Valkey for one row: key, value and what it needs to find them. */
  readonly memoryPerRow: number
  readonly bytesPerRow: number
  /** All reads of one tick; answers with the last row. */
  storm(): Promise<unknown>
  look(): Promise<Look>
  close(): Promise<void>
}

/** How many rows are encoded and sent before the next are made. */
const FILLED_AT_ONCE = 5_000
/** Different storms, made before any is timed. */
const STORMS = 20

type Cache = ReadThroughCache<ScaledRow, string>
interface Asked {
  readonly cache: Cache
  readonly id: string
}

export async function openWorkload(workload: Workload): Promise<OpenWorkload> {
  const servers = await startServers(workload.nodes)
  const store = new FillingStore({ client: servers.client, deadlineMs: 30_000 }, servers.client)
  await store.connect()
  const kind = scaledRows(workload.bids)
  const source = {
    load: () => Promise.reject(new Error('A row was not stored.')),
    mayBlameOneId: () => false,
  }
  const shared = { store, source, tick: new Tick(), slicer: new Slicer() }
  const caches = Array.from({ length: workload.models }, (_, i): Cache =>
    createModelCache(kind.define(`AuctionItem${i}`), shared),
  )
  const before = await servers.look()
  const filled = await fill(caches, kind.rowAt, workload.rows)
  const memoryBytes = (await servers.look()).memoryBytes - before.memoryBytes
  const storms = makeStorms(caches, workload)
  let next = 0
  const storm = (): Promise<ScaledRow[]> =>
    Promise.all(storms[next++ % STORMS]!.map(({ cache, id }) => cache.get(id) as Promise<ScaledRow>))
  const asked = storms[0]!
  for (const [i, row] of (await storm()).entries())
    assert.deepEqual(row, kind.rowAt(Number(asked[i]!.id.slice('row-'.length))))
  return {
    server: servers.name,
    workload,
    memoryPerRow: memoryBytes / filled,
    bytesPerRow: store.bytesPerValue,
    storm,
    look: () => servers.look(),
    async close() {
      await Promise.all(caches.map((cache) => cache.close()))
      await store.close()
      await servers.stop()
    },
  }
}

/** Each model gets its share of the rows. @returns how many were stored */
async function fill(
  caches: readonly Cache[],
  rowAt: (place: number) => ScaledRow,
  rows: number,
): Promise<number> {
  const share = Math.ceil(rows / caches.length)
  for (const cache of caches)
    for (let from = 0; from < share; from += FILLED_AT_ONCE) {
      const count = Math.min(FILLED_AT_ONCE, share - from)
      await cache.prime(Array.from({ length: count }, (_, i) => rowAt(from + i)))
    }
  return share * caches.length
}

/** Each asks for other rows, in any order; models take turns. */
function makeStorms(caches: readonly Cache[], { rows, concurrency }: Workload): (readonly Asked[])[] {
  const random = createRandom('model-cache bench scale')
  const share = Math.ceil(rows / caches.length)
  return Array.from({ length: STORMS }, () => {
    const places = new Set<number>()
    while (places.size < concurrency) places.add(random.integer(0, share * caches.length - 1))
    return [...places].map((place) => ({
      cache: caches[place % caches.length]!,
      id: idAt(Math.floor(place / caches.length)),
    }))
  })
}
