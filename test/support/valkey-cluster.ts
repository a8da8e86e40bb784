import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { startValkey } from './start-valkey.ts'
import type { ValkeyServer } from './start-valkey.ts'

export interface ValkeyCluster {
  /** Three primaries without replicas; `host` and `port` of each are what a cluster client wants. */
  nodes: ValkeyServer[]
  stop: () => Promise<void>
}

const SLOTS: [from: number, to: number][] = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
]
const FORMATION_DEADLINE_MS = 30_000

/** Forms a Valkey Cluster of three primaries on the loopback interface; ready when every node says so. */
export async function startValkeyCluster(): Promise<ValkeyCluster> {
  const busPorts = await Promise.all(SLOTS.map(() => freePort()))
  const nodes = await Promise.all(busPorts.map((busPort) => startValkey({ args: clusterArgs(busPort) })))
  const clients = nodes.map((node) => new Redis({ host: node.host, port: node.port }))
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  try {
    await Promise.all(clients.map((client, i) => client.call('CLUSTER', 'ADDSLOTSRANGE', ...SLOTS[i]!)))
    for (const [i, { host, port }] of nodes.entries()) {
      if (i > 0) await clients[0]!.call('CLUSTER', 'MEET', host, port, busPorts[i]!)
    }
    const deadline = Date.now() + FORMATION_DEADLINE_MS
    await Promise.all(clients.map((client) => becomesReady(client, nodes.length, deadline)))
    return { nodes, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    for (const client of clients) client.disconnect()
  }
}

function clusterArgs(busPort: number): string[] {
  return ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '2000']
}

async function becomesReady(client: Redis, size: number, deadline: number): Promise<void> {
  for (;;) {
    const info = String(await client.call('CLUSTER', 'INFO'))
    if (info.includes('cluster_state:ok') && info.includes(`cluster_size:${size}`)) return
    if (Date.now() > deadline) throw new Error(`The cluster did not form:\n${info}`)
    await sleep(25)
  }
}
