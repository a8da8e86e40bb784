import assert from 'node:assert/strict'
import { type } from 'arktype'
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import { createModelCache, Slicer, Tick, type ReadThroughCache } from 'model-cache/advanced'
import { createRandom } from '#prisma/demo/random.js'
import { decimal, Decimal } from '../../harness/fixtures/fixture.ts'
import { defineLots, emptySource, idAt, lotAt, primeFirst } from '../../harness/fixtures/lot-cache.ts'
import { openCluster, openSingle, usageOf } from '../../harness/servers.ts'
import { UnleasedStore } from '../../harness/unleased-store.ts'
import type { Workload } from './axes.ts'

const { defineModelCache } = modelCaches()

/** Different bursts, made before one is timed. */
const BURSTS = 20
const TTL = '2h'

type Cache = ReadThroughCache<Row, string>
export type OpenWorkload = Awaited<ReturnType<typeof openWorkload>>

/** A workload with all its rows stored, on servers of its own. */
export async function openWorkload(workload: Workload) {
  const pipelined = { enableAutoPipelining: true }
  const { nodes } = workload
  const servers = await (nodes === undefined ? openSingle(pipelined) : openCluster(nodes, pipelined))
  let [values, bytes] = [0, 0]
  // Fast to fill: auto-pipelined, without leases.
  const store = new UnleasedStore({ client: servers.client, deadlineMs: 30_000 }, (fills) => {
    values += fills.length
    for (const { value } of fills) bytes += Buffer.byteLength(value)
    return Promise.all(fills.map(({ key, value, ttlMs }) => servers.client.set(key, value, 'PX', ttlMs)))
  })
  await store.connect()
  const kind = rowsOf(workload.bids)
  const shared = { store, source: emptySource, tick: new Tick(), slicer: new Slicer() }
  const caches = Array.from({ length: workload.models }, (_, i): Cache =>
    createModelCache(kind.define(`AuctionItem${i}`), shared),
  )
  const memoryOf = async (): Promise<number> => (await usageOf(servers.admins, 'memoryBytes')).memoryBytes
  const before = await memoryOf()
  const filled = await fill(caches, kind.rowAt, workload.rows)
  const memoryPerRow = ((await memoryOf()) - before) / filled
  const bursts = makeBursts(caches, workload)
  let next = 0
  const run = (): Promise<Row[]> =>
    Promise.all(bursts[next++ % BURSTS]!.map(({ cache, id }) => cache.get(id) as Promise<Row>))
  const [first] = bursts
  for (const [i, row] of (await run()).entries())
    assert.deepEqual(row, kind.rowAt(Number(first![i]!.id.slice('row-'.length))))
  return {
    name: await servers.describe(),
    workload,
    /** Memory of Valkey per row, with its key. */
    memoryPerRow,
    bytesPerRow: bytes / values,
    /** All reads of one tick. */
    run,
    servers: servers.admins,
    async close() {
      await Promise.all(caches.map((cache) => cache.close()))
      await store.close()
      await servers.close()
    },
  }
}

/** Gives each model its share of the rows. @returns how many were stored */
async function fill(caches: readonly Cache[], rowAt: (place: number) => Row, rows: number) {
  const share = Math.ceil(rows / caches.length)
  for (const cache of caches) await primeFirst(cache, share, rowAt)
  return share * caches.length
}

/** Each burst reads other rows in random order; models take turns. */
function makeBursts(caches: readonly Cache[], { rows, concurrency }: Workload) {
  const random = createRandom('model-cache bench scale')
  const share = Math.ceil(rows / caches.length)
  return Array.from({ length: BURSTS }, () => {
    const places = new Set<number>()
    while (places.size < concurrency) places.add(random.integer(0, share * caches.length - 1))
    return [...places].map((place) => ({
      cache: caches[place % caches.length]!,
      id: idAt(Math.floor(place / caches.length)),
    }))
  })
}

interface Row {
  readonly id: string
}
type Definition = ModelCacheDefinition<Row, string>

const bidSchema = type({ bidderId: 'string', amount: decimal, placedAt: 'Date', note: 'string | null' })
const bidsSchema = type({ id: 'string', bids: bidSchema.array() })

/** Any number of rows, by their place: of some bids, or lots of 2 kB. */
function rowsOf(count: number | undefined): { define(name: string): Definition; rowAt(place: number): Row } {
  if (count === undefined) {
    return { define: (name) => defineLots({ name, ttl: TTL }) as unknown as Definition, rowAt: lotAt }
  }
  const random = createRandom('model-cache bench scale')
  const bids = Array.from({ length: count }, () => ({
    bidderId: random.uuid(),
    amount: new Decimal(random.integer(10, 9_999)).plus('0.50'),
    placedAt: random.date(new Date('2026-01-01'), new Date('2026-11-01')),
    note: random.chance(0.8) ? 'the bidder will collect it himself on Sunday' : null,
  }))
  const options = {
    model: 'AuctionItem',
    schema: bidsSchema,
    id: 'id',
    ttl: TTL,
    largePayloadBytes: 10_000_000,
  } as const
  return {
    define: (name) =>
      defineModelCache<typeof bidsSchema.infer>()({ ...options, name }) as unknown as Definition,
    rowAt: (place) => ({ id: idAt(place), bids }) as Row,
  }
}
