import assert from 'node:assert/strict'
import type { Cluster } from 'ioredis'
import slotOf from 'cluster-key-slot'
import { createModelCache, MemoryStore, ValkeyStore } from 'model-cache/advanced'
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

export async function measureBuckets({
  use,
  effort: { rounds, warmUps, rows },
}: Run<Record<'rounds' | 'warmUps' | 'rows', number>>) {
  const lots = [...buildLots().values()].slice(0, rows)
  const { admins, client, describe } = await use(openCluster(NODES))
  const readings: { readonly buckets: number | undefined; readonly name: string; run(): Promise<unknown> }[] =
    []
  for (const buckets of BUCKETS) readings.push(await use(openStore(client, buckets, lots)))
  for (const isPipelined of [false, true]) readings.push(await use(openPerKey(client, lots, isPipelined)))
  say(`${readings.length} cases, ${rounds} rounds`)
  const costs = await costsOf(
    readings.map((reading) => ({ ...reading, servers: admins })),
    { rounds, warmUps },
  )
  const cases = costs.map(async ({ work: { name, buckets }, taken: _taken, ...cost }) => {
    const shares = buckets && (await fullestShares(lots, buckets, client))
    return {
      name,
      buckets,
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
async function openStore(client: Cluster, buckets: number, lots: readonly AuctionItem[]) {
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
async function openPerKey(client: Cluster, lots: readonly AuctionItem[], enableAutoPipelining: boolean) {
  const cluster = client.duplicate([], { enableAutoPipelining })
  const texts = lots.map((lot) => JSON.stringify(lot))
  await Promise.all(lots.map(({ id }, i) => cluster.set(`per-key:${id}`, texts[i]!)))
  const run = (): Promise<unknown> => Promise.all(lots.map(({ id }) => cluster.get(`per-key:${id}`)))
  assert.deepStrictEqual(await run(), texts)
  return {
    name: `GET per key${enableAutoPipelining ? ', auto-pipelined' : ''}`,
    buckets: undefined,
    run,
    close: async () => cluster.disconnect(),
  }
}

/** The share of each model's rows on the node with the most of them. */
function fullestShares(rows: readonly AuctionItem[], buckets: number, cluster: Cluster) {
  const store = new MemoryStore()
  const shares = MODELS.map(async (name) => {
    const cache = createModelCache(defineLots({ name }), { store, source: emptySource, buckets })
    const keys = await Promise.all(rows.map(async ({ id }) => (await cache.explain(id)).key))
    const byNode = Map.groupBy(keys, (key) => cluster.slots[slotOf(key)]![0]!)
    return Math.max(...Array.from(byNode.values(), ({ length }) => length)) / rows.length
  })
  return Promise.all(shares)
}
