import assert from 'node:assert/strict'
import { Cluster, Redis } from 'ioredis'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import { describeValkey, startValkeyCluster } from '../../../../test/support/valkey-server.ts'
import { collectGarbage } from '../measure/collect-garbage.ts'
import { cpuTime } from '../measure/cpu-time.ts'
import { inTurn } from '../measure/in-turn.ts'
import { mean, median, spread } from '../measure/statistics.ts'
import { say } from '../progress.ts'
import { countCommands } from '../storm/count-commands.ts'
import { buildLots } from '../storm/lots.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { fullestShares, MODELS } from './balance.ts'
import type { ClusterCase, ClusterMeasurements } from './cluster-measurements.ts'
import { defineLots } from './define-lots.ts'
import { clusterFigures } from './cluster-figures.ts'
import { presentCluster } from './present-cluster.ts'

const FULL = { rounds: 21, warmUps: 20 }
const QUICK = { rounds: 1, warmUps: 1 }
const BUCKETS = [1, 16, 64, 256, 1_024]

/** One way to read all rows at once. */
interface Reading {
  readonly name: string
  readonly buckets?: number
  storm(): Promise<unknown>
  close(): Promise<void>
}

interface Sample {
  readonly cpuMs: number
  readonly wallMs: number
  readonly serverCpuMs: number
  readonly commands: number
}

/** A storm of different rows on a cluster of three nodes, by number of buckets. */
export const clusterSuite: Suite<ClusterMeasurements> = {
  packages: ['ioredis'],
  run: measure,
  present: presentCluster,
  figures: clusterFigures,
}

async function measure({ quick }: RunOptions): Promise<ClusterMeasurements> {
  const lots = [...buildLots().values()]
  const { rounds, warmUps } = quick ? QUICK : FULL
  const servers = await startValkeyCluster()
  const nodes = servers.nodes.map(({ host, port }) => new Redis(port, host))
  const client = new Cluster(servers.nodes.map(({ host, port }) => ({ host, port })))
  const readings: Reading[] = []
  try {
    for (const buckets of BUCKETS) readings.push(await openStore(client, buckets, lots))
    readings.push(await openPerKey(client, lots, false), await openPerKey(client, lots, true))
    say(`${readings.length} cases, ${rounds} rounds`)
    const samples = await takeSamples(readings, nodes, { rounds, warmUps })
    const cases = readings.map(async ({ name, buckets }): Promise<ClusterCase> => {
      const own = samples.get(name)!
      const of = (figure: keyof Sample): number => median(own.map((sample) => sample[figure]))
      const shares = buckets && (await fullestShares(lots, buckets, client))
      return {
        name,
        ...(buckets !== undefined && { buckets }),
        cpuMs: of('cpuMs'),
        cpuSpread: spread(own.map(({ cpuMs }) => cpuMs)),
        wallMs: of('wallMs'),
        serverCpuMs: of('serverCpuMs'),
        commands: of('commands'),
        ...(shares && { fullest: { mean: mean(shares), worst: Math.max(...shares) } }),
      }
    })
    return {
      server: await describeValkey(servers.nodes[0]!.url),
      nodes: nodes.length,
      rows: lots.length,
      models: MODELS.length,
      rounds,
      cases: await Promise.all(cases),
    }
  } finally {
    await Promise.all(readings.map((reading) => reading.close()))
    client.disconnect()
    for (const node of nodes) node.disconnect()
    await servers.stop()
  }
}

/** What a cache asks of its store, without what it does with the texts. */
async function openStore(client: Cluster, buckets: number, lots: readonly AuctionItem[]): Promise<Reading> {
  const store = new RecordingStore({ client, deadlineMs: 5_000 })
  await store.connect()
  const source = {
    load: () => Promise.reject(new Error('A row was not stored.')),
    mayBlameOneId: () => false,
  }
  const namespace = `b${buckets}`
  const cache = createModelCache(defineLots('AuctionItem'), { store, source, buckets, namespace })
  await cache.prime(lots)
  store.asked.length = 0
  assert.deepStrictEqual(await cache.getMany(lots.map(({ id }) => id)), lots)
  const asked = [...store.asked]
  return {
    name: `${buckets} ${buckets === 1 ? 'bucket' : 'buckets'}`,
    buckets,
    storm: () => Promise.all(asked.map((keys) => store.read(keys))),
    close: () => store.close(),
  }
}

class RecordingStore extends ValkeyStore {
  readonly asked: (readonly string[])[] = []

  override getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    this.asked.push(keys)
    return super.getManyBytes(keys)
  }

  read(keys: readonly string[]): Promise<(Buffer | null)[]> {
    return super.getManyBytes(keys)
  }
}

/** What a cluster client does by itself: a command for each key, and nothing read from the texts. */
async function openPerKey(
  client: Cluster,
  lots: readonly AuctionItem[],
  enableAutoPipelining: boolean,
): Promise<Reading> {
  const cluster = client.duplicate([], { enableAutoPipelining })
  const texts = lots.map((lot) => JSON.stringify(lot))
  await Promise.all(lots.map(({ id }, i) => cluster.set(`per-key:${id}`, texts[i]!)))
  const storm = (): Promise<unknown> => Promise.all(lots.map(({ id }) => cluster.get(`per-key:${id}`)))
  assert.deepStrictEqual(await storm(), texts)
  return {
    name: `GET per key${enableAutoPipelining ? ', auto-pipelined' : ''}`,
    storm,
    close: async () => cluster.disconnect(),
  }
}

async function takeSamples(
  readings: readonly Reading[],
  nodes: readonly Redis[],
  { rounds, warmUps }: typeof FULL,
): Promise<Map<string, Sample[]>> {
  const samples = new Map(readings.map(({ name }) => [name, [] as Sample[]]))
  for (let warmUp = 0; warmUp < warmUps; warmUp++) for (const { storm } of readings) await storm()
  for (let round = 0; round < rounds; round++) {
    for (const { name, storm } of inTurn(readings, round)) {
      collectGarbage()
      const before = await lookAt(nodes)
      const [cpu, wall] = [cpuTime(), performance.now()]
      await storm()
      const [cpuMs, wallMs] = [cpuTime() - cpu, performance.now() - wall]
      const after = await lookAt(nodes)
      const serverCpuMs = after.cpuMs - before.cpuMs
      samples.get(name)!.push({ cpuMs, wallMs, serverCpuMs, commands: after.commands - before.commands })
    }
  }
  return samples
}

/** What all nodes together have done so far. */
async function lookAt(nodes: readonly Redis[]): Promise<{ cpuMs: number; commands: number }> {
  const infos = await Promise.all(
    nodes.map(async (node) => ({ cpu: await node.info('cpu'), stats: await node.info('commandstats') })),
  )
  let [cpuMs, commands] = [0, 0]
  for (const { cpu, stats } of infos) {
    for (const [, seconds] of cpu.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm))
      cpuMs += 1_000 * Number(seconds)
    commands += countCommands(stats)
  }
  return { cpuMs, commands }
}
