import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster } from 'ioredis'
import { ClusterControl } from '../../support/cluster-control.js'
import { startValkeyCluster, type ValkeyCluster } from '../../support/valkey-server.js'

/** A cluster whose nodes keep their data folders, as on hosts that keep their disks. */
export class KeptCluster {
  readonly nodes: ValkeyCluster['nodes']
  readonly replicas: ValkeyCluster['replicas']
  readonly control: ClusterControl
  readonly #cluster: ValkeyCluster
  readonly #folder: string

  private constructor(cluster: ValkeyCluster, folder: string) {
    this.#cluster = cluster
    this.#folder = folder
    this.nodes = cluster.nodes
    this.replicas = cluster.replicas
    this.control = new ClusterControl(cluster)
  }

  static async start(options: { readonly replicas?: boolean } = {}): Promise<KeptCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'kept-cluster-'))
    const cluster = await startValkeyCluster({
      ...options,
      announce: async (ports) => {
        const kept = join(folder, String(ports.port))
        await mkdir(kept)
        return { ...ports, args: ['--dir', kept] }
      },
    })
    return new KeptCluster(cluster, folder)
  }

  newClient(): Cluster {
    return new Cluster(
      this.nodes.map(({ host, port }) => ({ host, port })),
      { lazyConnect: true },
    )
  }

  /** The place of the node that has a key. */
  async placeOf(pattern: string): Promise<number> {
    for (const [place, node] of this.nodes.entries())
      if ((await this.control.of(node).keys(pattern)).length > 0) return place
    throw new Error(`no node has ${pattern}`)
  }

  /** Kills the node at a place, and starts it again from what its folder has. */
  async restart(place: number): Promise<void> {
    const node = this.nodes[place]!
    await node.kill('SIGKILL')
    this.nodes[place] = await this.#cluster.restart(node)
  }

  async stop(): Promise<void> {
    this.control.disconnect()
    await this.#cluster.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
