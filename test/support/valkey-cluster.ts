import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { startValkey } from './start-valkey.ts'
import type { ValkeyServer } from './start-valkey.ts'

export interface ValkeyCluster {
  /** Those that started as primaries; `host` and `port` of each are what a cluster client wants. */
  nodes: ValkeyServer[]
  /** The replica of each node, in their order; none unless requested. */
  replicas: ValkeyServer[]
  stop: () => Promise<void>
}

export interface StartValkeyClusterOptions {
  /** Each has an equal share of the slots. @default 3 */
  primaries?: number
  /** One for each primary, which takes its place about two seconds after its end. @default false */
  replicas?: boolean
}

const SLOTS = 16_384
const FORMATION_DEADLINE_MS = 60_000

/** Forms a Valkey Cluster on the loopback interface; ready when every node says so. */
export async function startValkeyCluster({
  primaries: count = 3,
  replicas: withReplicas = false,
}: StartValkeyClusterOptions = {}): Promise<ValkeyCluster> {
  const size = withReplicas ? 2 * count : count
  const busPorts = await Promise.all(Array.from({ length: size }, freePort))
  const servers = await startAll(busPorts)
  const clients = servers.map((server) => new Redis({ host: server.host, port: server.port }))
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  try {
    await Promise.all(
      slotRanges(count).map((range, i) => clients[i]!.call('CLUSTER', 'ADDSLOTSRANGE', ...range)),
    )
    for (const [i, { host, port }] of servers.entries()) {
      if (i > 0) await clients[0]!.call('CLUSTER', 'MEET', host, port, busPorts[i]!)
    }
    const deadline = Date.now() + FORMATION_DEADLINE_MS
    await Promise.all(clients.map((client) => becomesReady(client, { size, primaries: count }, deadline)))
    const primaries = clients.slice(0, count)
    const replicas = clients.slice(count)
    await Promise.all(replicas.map((replica, i) => follow(replica, primaries[i]!, deadline)))
    return { nodes: servers.slice(0, count), replicas: servers.slice(count), stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    for (const client of clients) client.disconnect()
  }
}

function slotRanges(count: number): [from: number, to: number][] {
  const startOf = (i: number): number => Math.round((i * SLOTS) / count)
  return Array.from({ length: count }, (_, i) => [startOf(i), startOf(i + 1) - 1])
}

async function startAll(busPorts: readonly number[]): Promise<ValkeyServer[]> {
  const starting = await Promise.allSettled(
    busPorts.map((busPort) => startValkey({ args: clusterArgs(busPort) })),
  )
  const started = starting.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = starting.find((result) => result.status === 'rejected')
  if (!failure) return started
  await Promise.all(started.map((server) => server.stop()))
  throw failure.reason
}

function clusterArgs(busPort: number): string[] {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)]
  // A node that has met no other does not know its own address, and reports none to clients.
  const address = ['--cluster-announce-ip', '127.0.0.1']
  const failover = ['--cluster-node-timeout', '1000', '--cluster-replica-validity-factor', '0']
  // A replica that has nobody to follow would else move to another primary.
  return [
    ...cluster,
    ...address,
    ...failover,
    '--cluster-allow-replica-migration',
    'no',
    '--repl-diskless-sync-delay',
    '0',
  ]
}

/** Every node of the cluster knows all others and which node has which slots. */
async function becomesReady(
  client: Redis,
  { size, primaries }: { size: number; primaries: number },
  deadline: number,
): Promise<void> {
  const formed = ['cluster_state:ok', `cluster_known_nodes:${size}\r`, `cluster_size:${primaries}\r`]
  await until(async () => {
    const info = String(await client.call('CLUSTER', 'INFO'))
    return formed.every((line) => info.includes(line)) ? undefined : info
  }, deadline)
}

async function follow(replica: Redis, primary: Redis, deadline: number): Promise<void> {
  await replica.call('CLUSTER', 'REPLICATE', String(await primary.call('CLUSTER', 'MYID')))
  await until(async () => {
    const [followed, own] = await Promise.all([primary.info('replication'), replica.info('replication')])
    const isDone = followed.includes('state=online') && own.includes('master_link_status:up')
    return isDone ? undefined : followed + own
  }, deadline)
}

/** @param check gives what is seen while it is not what it should be */
async function until(check: () => Promise<string | undefined>, deadline: number): Promise<void> {
  for (;;) {
    const seen = await check()
    if (seen === undefined) return
    if (Date.now() > deadline) throw new Error(`The cluster did not form:\n${seen}`)
    await sleep(25)
  }
}
