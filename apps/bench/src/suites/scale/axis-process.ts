/** The process that measures one axis. */
import assert from 'node:assert/strict'
import { type } from 'arktype'
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import { createModelCache, Slicer, Tick } from 'model-cache/advanced'
import { createRandom } from '#prisma/demo/random.js'
import { costsOf } from '../../harness/costs.ts'
import { decimal, Decimal } from '../../harness/fixtures/fixture.ts'
import { defineLots, emptySource, idAt, lotAt, primeFirst } from '../../harness/fixtures/lot-cache.ts'
import { serveParent } from '../../harness/process.ts'
import { cpuTime } from '../../harness/processor.ts'
import { rounded } from '../../harness/rounds.ts'
import { openCluster, openSingle, usageOf } from '../../harness/servers.ts'
import { growthOf } from '../../harness/statistics.ts'
import { UnleasedStore } from '../../harness/unleased-store.ts'
import { workloadAt, type Axis, type Workload } from './axes.ts'

export interface Effort {
  readonly rounds: number
  readonly warmUpMs: number
  /** Bytes of rows that one sample reads. */
  readonly sampleBytes: number
}

const methods = serveParent({
  /** All points of the axis are open at once, and measured in turn. */
  async measure({ axis, quick, effort }: { axis: Axis; quick: boolean; effort: Effort }) {
    const { name, title, unit } = axis
    const opened: Awaited<ReturnType<typeof openWorkload>>[] = []
    try {
      for (const value of quick ? axis.quick : axis.full)
        opened.push(await openWorkload(workloadAt(name, value)))
      for (const { run } of opened) {
        const end = cpuTime() + effort.warmUpMs
        while (cpuTime() < end) await run()
      }
      const works = opened.map((one) => {
        // Enough bursts for the clocks of the servers, in about a tenth of a second.
        const bursts = Math.ceil(effort.sampleBytes / one.bytesPerRow / one.workload.concurrency)
        return { ...one, name, times: Math.min(500, bursts) }
      })
      const points = (await costsOf(works, effort)).map(({ work, ...cost }) => {
        const { bytesPerRow, memoryPerRow, workload } = work
        const perRead = (each: number): number => rounded(each / workload.concurrency)
        return {
          x: name === 'payload' ? bytesPerRow : workload[name]!,
          cpuUs: perRead(1_000 * cost.cpuMs),
          cpuSpread: cost.cpuSpread,
          serverCpuUs: perRead(1_000 * cost.serverCpuMs),
          wireBytes: perRead(cost.wireBytes),
          bytesPerRow,
          memoryPerRow,
        }
      })
      const growth = growthOf(points.map(({ x, cpuUs }) => [x, cpuUs] as const))
      return { server: opened[0]!.server, result: { name, title, unit, points, growth } }
    } finally {
      await Promise.all(opened.map((one) => one.close()))
    }
  },
})
export type AxisProcess = typeof methods

/** Different bursts, made before one is timed. */
const BURSTS = 20

/** A workload with all its rows stored, on servers of its own. */
async function openWorkload(workload: Workload) {
  const { bids, concurrency, models, nodes, rows } = workload
  const pipelined = { enableAutoPipelining: true }
  const servers = await (nodes === undefined ? openSingle(pipelined) : openCluster(nodes, pipelined))
  let [values, bytes] = [0, 0]
  // Fast to fill: auto-pipelined, without leases.
  const store = new UnleasedStore({ client: servers.client, deadlineMs: 30_000 }, (fills) => {
    values += fills.length
    for (const { value } of fills) bytes += Buffer.byteLength(value)
    return Promise.all(fills.map(({ key, value, ttlMs }) => servers.client.set(key, value, 'PX', ttlMs)))
  })
  await store.connect()
  const kind = rowsOf(bids)
  const shared = { store, source: emptySource, tick: new Tick(), slicer: new Slicer() }
  const caches = Array.from({ length: models }, (_, i) =>
    createModelCache(kind.define(`AuctionItem${i}`), shared),
  )
  const memoryOf = async (): Promise<number> => (await usageOf(servers.admins, 'memoryBytes')).memoryBytes
  const before = await memoryOf()
  const share = Math.ceil(rows / models)
  for (const cache of caches) await primeFirst(cache, share, kind.rowAt)
  const memoryPerRow = ((await memoryOf()) - before) / (share * models)
  // Each burst reads other rows in random order; models take turns.
  const random = createRandom('model-cache bench scale')
  const bursts = Array.from({ length: BURSTS }, () => {
    const places = new Set<number>()
    while (places.size < concurrency) places.add(random.integer(0, share * models - 1))
    return Array.from(places, (place) => ({
      cache: caches[place % models]!,
      place: Math.floor(place / models),
      id: idAt(Math.floor(place / models)),
    }))
  })
  let next = 0
  const run = () => Promise.all(bursts[next++ % BURSTS]!.map(({ cache, id }) => cache.get(id)))
  for (const [i, row] of (await run()).entries()) assert.deepEqual(row, kind.rowAt(bursts[0]![i]!.place))
  return {
    server: await servers.describe(),
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

interface Row {
  readonly id: string
}
interface Rows {
  define(name: string): ModelCacheDefinition<Row, string>
  rowAt(place: number): Row
}

/** Any number of rows, by their place: of some bids, or lots of 2 kB. */
function rowsOf(count: number | undefined): Rows {
  const ttl = '2h'
  if (count === undefined) return { define: (name) => defineLots({ name, ttl }) as never, rowAt: lotAt }
  const random = createRandom('model-cache bench scale')
  const bids = Array.from({ length: count }, () => ({
    bidderId: random.uuid(),
    amount: new Decimal(random.integer(10, 9_999)).plus('0.50'),
    placedAt: random.date(new Date('2026-01-01'), new Date('2026-11-01')),
    note: random.chance(0.8) ? 'the bidder will collect it himself on Sunday' : null,
  }))
  const bid = type({ bidderId: 'string', amount: decimal, placedAt: 'Date', note: 'string | null' })
  const schema = type({ id: 'string', bids: bid.array() })
  const options = { model: 'AuctionItem', schema, id: 'id', ttl, largePayloadBytes: 10_000_000 } as const
  const define = modelCaches().defineModelCache<typeof schema.infer>()
  return {
    define: (name) => define({ ...options, name }) as never,
    rowAt: (place) => ({ id: idAt(place), bids }) as Row,
  }
}
