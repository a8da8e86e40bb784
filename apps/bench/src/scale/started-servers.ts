import { Cluster, Redis } from 'ioredis'
import { describeValkey, startValkey, startValkeyCluster } from '../../../../test/support/valkey-server.ts'

export interface StartedServers {
  readonly name: string
  /** Knows all of them, and sends what one turn asks for together. */
  readonly client: Redis | Cluster
  /** What all servers have done so far, and hold. */
  look(): Promise<Look>
  stop(): Promise<void>
}

export interface Look {
  readonly cpuUs: number
  /** Received and sent. */
  readonly wireBytes: number
  readonly memoryBytes: number
}

/** @param nodes primaries of a cluster; one server that is none when left out */
export async function startServers(nodes: number | undefined): Promise<StartedServers> {
  const started = await (nodes === undefined ? startSingle() : startCluster(nodes))
  const admins = started.servers.map(({ host, port }) => new Redis(port, host))
  return {
    name: await describeValkey(started.servers[0]!.url),
    client: started.client,
    async look() {
      const infos = await Promise.all(admins.map((admin) => admin.info('cpu', 'stats', 'memory')))
      const sum = (fields: RegExp): number =>
        infos.flatMap((info) => [...info.matchAll(fields)]).reduce((all, [, value]) => all + Number(value), 0)
      return {
        cpuUs: 1e6 * sum(/^used_cpu_(?:sys|user):([\d.]+)/gm),
        wireBytes: sum(/^total_net_(?:input|output)_bytes:(\d+)/gm),
        memoryBytes: sum(/^used_memory:(\d+)/gm),
      }
    },
    async stop() {
      started.client.disconnect()
      for (const admin of admins) admin.disconnect()
      await started.stop()
    },
  }
}

async function startSingle() {
  const server = await startValkey()
  const client = new Redis(server.port, server.host, { enableAutoPipelining: true })
  return { servers: [server], client, stop: () => server.stop() }
}

async function startCluster(primaries: number) {
  const { nodes, stop } = await startValkeyCluster({ primaries })
  const client = new Cluster(
    nodes.map(({ host, port }) => ({ host, port })),
    { enableAutoPipelining: true },
  )
  return { servers: nodes, client, stop }
}
