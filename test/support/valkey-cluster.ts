import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { startValkey, type ValkeyServer } from './start-valkey.ts'

export interface ValkeyCluster {
  /** Those that started as primaries; `host` and `port` of each are what a cluster client wants. */
  nodes: ValkeyServer[]
  /** The replica of each node, in their order; none unless requested. */
  replicas: ValkeyServer[]
  /**
   * Starts a node again that was killed: with its id and its port, but without its data.
   *
   * @param more added to its command line this time, such as `--dir` with a folder that has data
   */
  restart: (node: ValkeyServer, more?: readonly string[]) => Promise<ValkeyServer>
  stop: () => Promise<void>
}

/** Where the other nodes find a node, if that is not where it listens. */
export interface AnnouncedNode {
  port: number
  busPort: number
  /** Added to the command line of the node. */
  args: string[]
}

export interface StartValkeyClusterOptions {
  /** Each has an equal share of the slots. @default 3 */
  primaries?: number
  /** One for each primary, which takes its place about two seconds after its end. @default false */
  replicas?: boolean
  /** Called with the ports of each node before it starts, to put a proxy before them. @default they are announced */
  announce?: (ports: { port: number; busPort: number }) => Promise<AnnouncedNode>
}

const SLOTS = 16_384
const FORMATION_DEADLINE_MS = 60_000

/** Forms a Valkey Cluster on the loopback interface; ready when every node says so. */
export async function startValkeyCluster({
  primaries: count = 3,
  replicas: withReplicas = false,
  announce = async (ports) => ({ ...ports, args: [] }),
}: StartValkeyClusterOptions = {}): Promise<ValkeyCluster> {
  const size = withReplicas ? 2 * count : count
  const folder = await mkdtemp(join(tmpdir(), 'valkey-cluster-'))
  const places = await Promise.all(
    Array.from({ length: size }, async (_, i) => {
      const [port, busPort] = await Promise.all([freePort(), freePort()])
      const announced = await announce({ port, busPort })
      const file = ['--cluster-config-file', join(folder, `${i}.conf`)]
      return { port, announced, args: [...clusterArgs(busPort), ...file, ...announced.args] }
    }),
  )
  const servers = await startAll(places)
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await rm(folder, { recursive: true, force: true })
  }
  const restart = async (node: ValkeyServer, more: readonly string[] = []): Promise<ValkeyServer> => {
    const place = places.findIndex(({ port }) => port === node.port)
    await servers[place]!.stop()
    const { args, port } = places[place]!
    return (servers[place] = await startValkey({ args: [...args, ...more], port }))
  }
  const clients = servers.map((server) => new Redis({ host: server.host, port: server.port }))
  try {
    await Promise.all(
      slotRanges(count).map((range, i) => clients[i]!.call('CLUSTER', 'ADDSLOTSRANGE', ...range)),
    )
    for (const [i, { announced }] of places.entries()) {
      const { port, busPort } = announced
      if (i > 0) await clients[0]!.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort)
    }
    const deadline = Date.now() + FORMATION_DEADLINE_MS
    await Promise.all(clients.map((client) => becomesReady(client, { size, primaries: count }, deadline)))
    const primaries = clients.slice(0, count)
    const replicas = clients.slice(count)
    await Promise.all(replicas.map((replica, i) => follow(replica, primaries[i]!, deadline)))
    await Promise.all(clients.map((client) => listsAll(client, size, deadline)))
    return { nodes: servers.slice(0, count), replicas: servers.slice(count), restart, stop }
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

async function startAll(places: readonly { port: number; args: string[] }[]): Promise<ValkeyServer[]> {
  const starting = await Promise.allSettled(places.map((place) => startValkey(place)))
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

/** A node that does not follow anybody itself hears later than the two concerned which replica follows which primary. */
async function listsAll(client: Redis, size: number, deadline: number): Promise<void> {
  await until(async () => {
    const listed = (await client.cluster('SLOTS')).flatMap(([, , ...nodes]) => nodes)
    return listed.length === size ? undefined : JSON.stringify(listed)
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
