import assert from 'node:assert/strict'
import type { Cluster } from 'ioredis'
import slotOf from 'cluster-key-slot'
import { createModelCache, MemoryStore, ValkeyStore, type Fill } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import type { Run } from '../../harness/comparison.ts'
import { costsOf } from '../../harness/costs.ts'
import { buildLots } from '../../harness/fixtures/lots.ts'
import { defineLots, emptySource, primeAll } from '../../harness/fixtures/lot-cache.ts'
import { say } from '../../harness/progress.ts'
import { openCluster } from '../../harness/servers.ts'
import { mean } from '../../harness/statistics.ts'

const NODES = 3
const BUCKETS = [1, 16, 64, 256, 1_024]
/** Names of models: the buckets of each have other slots. */
const MODELS = ['AuctionItem', 'AuctionBid', 'Fundraiser', 'GuestUser', 'TicketOrder']

export interface BurstEffort {
  readonly rounds: number
  readonly warmUps: number
  readonly rows: number
}

/** One way to read all rows at once. */
interface Reading {
  readonly name: string
  readonly buckets?: number
  run(): Promise<unknown>
  close(): Promise<void>
}

export async function measureBuckets({ use, effort: { rounds, warmUps, rows } }: Run<BurstEffort>) {
  const lots = [...buildLots().values()].slice(0, rows)
  const { admins, client, describe } = await use(openCluster(NODES))
  const readings: Reading[] = []
  for (const buckets of BUCKETS) readings.push(await use(openStore(client, buckets, lots)))
  for (const isPipelined of [false, true]) readings.push(await use(openPerKey(client, lots, isPipelined)))
  say(`${readings.length} cases, ${rounds} rounds`)
  const costs = await costsOf(
    readings.map((reading) => ({ ...reading, servers: admins })),
    { rounds, warmUps },
  )
  const cases = costs.map(async ({ work: { name, buckets }, ...cost }) => {
    const shares = buckets === undefined ? undefined : await fullestShares(lots, buckets, client)
    return {
      name,
      ...(buckets !== undefined && { buckets }),
      ...cost,
      /** Share of a model's rows on the node with the most of them: mean and worst of several models. */
      ...(shares && { fullest: { mean: mean(shares), worst: Math.max(...shares) } }),
    }
  })
  return {
    server: await describe(),
    nodes: admins.length,
    rows: lots.length,
    models: MODELS.length,
    rounds,
    cases: await Promise.all(cases),
  }
}

/** The commands that a cache sends through its store, without decoding the payloads. */
async function openStore(client: Cluster, buckets: number, lots: readonly AuctionItem[]): Promise<Reading> {
  const store = new RecordingStore({ client, deadlineMs: 5_000 })
  await store.connect()
  const cache = createModelCache(defineLots(), {
    store,
    source: emptySource,
    buckets,
    namespace: `b${buckets}`,
  })
  await primeAll(cache, lots)
  store.recorded.length = 0
  assert.deepStrictEqual(await cache.getMany(lots.map(({ id }) => id)), lots)
  const recorded = [...store.recorded]
  return {
    name: `${buckets} ${buckets === 1 ? 'bucket' : 'buckets'}`,
    buckets,
    run: () => Promise.all(recorded.map((keys) => store.read(keys))),
    close: () => store.close(),
  }
}

class RecordingStore extends ValkeyStore {
  readonly recorded: (readonly string[])[] = []

  override getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    this.recorded.push(keys)
    return super.getManyBytes(keys)
  }

  read(keys: readonly string[]): Promise<(Buffer | null)[]> {
    return super.getManyBytes(keys)
  }
}

/** A command for each key, as a cluster client sends it by itself. */
async function openPerKey(
  client: Cluster,
  lots: readonly AuctionItem[],
  enableAutoPipelining: boolean,
): Promise<Reading> {
  const cluster = client.duplicate([], { enableAutoPipelining })
  const texts = lots.map((lot) => JSON.stringify(lot))
  await Promise.all(lots.map(({ id }, i) => cluster.set(`per-key:${id}`, texts[i]!)))
  const run = (): Promise<unknown> => Promise.all(lots.map(({ id }) => cluster.get(`per-key:${id}`)))
  assert.deepStrictEqual(await run(), texts)
  return {
    name: `GET per key${enableAutoPipelining ? ', auto-pipelined' : ''}`,
    run,
    close: async () => cluster.disconnect(),
  }
}

/** The share of each model's rows on the node with the most of them. */
async function fullestShares(rows: readonly AuctionItem[], buckets: number, cluster: Cluster) {
  const shares: number[] = []
  for (const name of MODELS) {
    const store = new KeyCollector()
    const cache = createModelCache(defineLots({ name }), { store, source: emptySource, buckets })
    await primeAll(cache, rows, async () => store.keys.size >= rows.length)
    const byNode = Map.groupBy(store.keys, (key) => cluster.slots[slotOf(key)]![0]!)
    shares.push(Math.max(...Array.from(byNode.values(), ({ length }) => length)) / rows.length)
  }
  return shares
}

class KeyCollector extends MemoryStore {
  readonly keys = new Set<string>()

  override async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    for (const { key } of fills) this.keys.add(key)
    return fills.map(() => true)
  }
}
