import { setTimeout as sleep } from 'node:timers/promises'
import { ClusterControl, moveAtOnce, moveByKey } from '../../../support/cluster-control.ts'
import { startValkeyCluster, type ValkeyCluster, type ValkeyServer } from '../../../support/valkey-server.ts'
import type { Fault, World } from '../faults/fault.ts'
import { FaultyWire } from '../faults/faulty-wire.ts'
import { ask, deleteKey, squeeze } from './ask.ts'
import { Backbone, type Peer } from './backbone.ts'
import type { ChaosServer, FaultKinds } from './chaos-server.ts'
import { Disks } from './disks.ts'
import type { OpenedWires } from './opened-wires.ts'
import { inOrder, type Pair, promoted } from './replication.ts'

const PRIMARIES = 3

/** A cluster of three primaries with a replica each. */
export class ClusterServer implements ChaosServer {
  readonly #cluster: ValkeyCluster
  readonly #backbone: Backbone
  readonly #control: ClusterControl
  readonly #disks = new Disks()
  /** By port. */
  readonly #servers: Map<number, ValkeyServer>
  readonly replicas = 1
  evicted = 0
  readonly faults: readonly Fault[]

  private constructor(cluster: ValkeyCluster, backbone: Backbone, kinds: FaultKinds) {
    this.#cluster = cluster
    this.#backbone = backbone
    this.#control = new ClusterControl(cluster)
    const servers = [...cluster.nodes, ...cluster.replicas]
    this.#servers = new Map(servers.map((server) => [server.port, server]))
    // A server holds what it held some time before. The cache fails closed, so this excuses nothing.
    const returns = [
      // Back before its replica may take its place, which then gets the old data.
      this.#onPair('oldSnapshot', async ({ primary }, { random }) => {
        const folder = await this.#disks.snapshotOf(primary.port)
        await sleep(random.integer(0, 1_500))
        await this.#serverOf(primary).kill('SIGKILL')
        await this.#restart(primary, folder)
      }),
      this.#onPair('oldPrimary', async ({ primary, replica }, { random }) => {
        const folder = await this.#disks.snapshotOf(primary.port)
        await sleep(random.integer(0, 1_500))
        await this.#serverOf(primary).kill('SIGKILL')
        await this.#restart(primary, folder)
        await this.#promoteReplicaOf([primary, replica])
      }),
      this.#onPair('oldReplica', async ({ primary, replica }, { random }) => {
        const folder = await this.#disks.snapshotOf(replica.port)
        await sleep(random.integer(0, 1_500))
        await this.#serverOf(replica).kill('SIGKILL')
        backbone.stopReplication(primary, replica)
        await this.#restart(replica, folder)
        await this.#promote(replica, 'TAKEOVER')
      }),
    ]
    const others = [
      this.#onPair('failover', ({ replica }) => this.#promote(replica)),
      this.#onPair('failoverByForce', ({ replica }, { random }) =>
        this.#promote(replica, random.pick(['FORCE', 'TAKEOVER'])),
      ),
      this.#onPair('primaryKill', async ({ primary, replica }, { random }) => {
        await this.#serverOf(primary).kill('SIGKILL')
        await promoted(replica)
        await sleep(random.integer(0, 500))
        await this.#restart(primary)
      }),
      // It wakes up with clients, and does not know that it has been replaced.
      this.#onPair('primaryHang', async ({ primary, replica }) => {
        await this.#serverOf(primary).kill('SIGSTOP')
        await promoted(replica).finally(() => this.#serverOf(primary).kill('SIGCONT'))
      }),
      this.#onPair('primaryStop', async ({ primary }, { random }) => {
        await this.#serverOf(primary).kill('SIGSTOP')
        await sleep(random.integer(100, 1_200))
        await this.#serverOf(primary).kill('SIGCONT')
      }),
      this.#onPair('replicaStop', async ({ replica }, { random }) => {
        await this.#serverOf(replica).kill('SIGSTOP')
        await sleep(random.integer(100, 1_200))
        await this.#serverOf(replica).kill('SIGCONT')
      }),
      // Pods still reach the old primary.
      this.#onPair('partition', async ({ primary, replica }, { random }) => {
        backbone.isolate(primary)
        await promoted(replica)
        await sleep(random.integer(0, 1_000))
      }),
      this.#onPair('partitionByCommand', async ({ primary, replica }, { random }) => {
        backbone.isolate(primary)
        await sleep(random.integer(0, 200))
        await this.#promote(replica, 'TAKEOVER')
        await sleep(random.integer(200, 2_000))
      }),
      this.#onPair('lostWrites', async ({ primary, replica }, { random }) => {
        backbone.stopReplication(primary, replica)
        await sleep(random.integer(50, 600))
        await this.#promote(replica, 'TAKEOVER')
      }),
      this.#reshard('slotsByKey', moveByKey),
      this.#reshard('slotsAtOnce', moveAtOnce),
      // Back before its replica may take its place, which loses everything as well.
      this.#losing('emptyPrimary', async ({ primary }) => {
        await this.#serverOf(primary).kill('SIGKILL')
        await this.#restart(primary)
      }),
      this.#losing('flush', ({ primary }) =>
        ask(primary.port, async (client) => void (await client.flushall())),
      ),
      this.#losing('eviction', async ({ primary }, { random }) => {
        const [bytes, ms] = [random.integer(1_000, 60_000), random.integer(500, 2_000)]
        this.evicted += await squeeze(primary.port, bytes, ms)
      }),
      { kind: 'catalogueHash', inflict: () => deleteKey(this.#ports, 'mc:{catalogue}') },
      { kind: 'catalogueWord', inflict: () => deleteKey(this.#ports, 'mc:{catalogue}:word') },
    ]
    this.faults = kinds === 'old data' ? returns : [...returns, ...others]
  }

  static async start(kinds: FaultKinds = 'all'): Promise<ClusterServer> {
    const backbone = new Backbone()
    const cluster = await startValkeyCluster({
      primaries: PRIMARIES,
      replicas: true,
      announce: async ({ port, busPort }) => {
        const { ports, args } = await backbone.add(port, busPort)
        const [announced, announcedBus] = ports.map(String)
        const announcing = [
          '--cluster-announce-port',
          announced!,
          '--cluster-announce-bus-port',
          announcedBus!,
        ]
        // Each loses what its own slots have, and no more.
        const coverage = ['--cluster-require-full-coverage', 'no']
        return { port: ports[0]!, busPort: ports[1]!, args: [...announcing, ...args, ...coverage] }
      },
    })
    return new ClusterServer(cluster, backbone, kinds)
  }

  async openWires(): Promise<OpenedWires> {
    const wires = await Promise.all(this.#ports.map((port) => FaultyWire.start(port)))
    const nodes = wires.map(({ port }) => ({ host: '127.0.0.1', port }))
    const natMap = Object.fromEntries(
      this.#backbone.peers.map(({ announced }, place) => [`127.0.0.1:${announced}`, nodes[place]!]),
    )
    return { wires, access: { kind: 'cluster', nodes, natMap } }
  }

  async stop(): Promise<void> {
    this.#control.disconnect()
    await this.#cluster.stop()
    await this.#backbone.close()
    await this.#disks.clear()
  }

  get #ports(): number[] {
    return this.#backbone.peers.map(({ port }) => port)
  }

  #serverOf({ port }: Peer): ValkeyServer {
    return this.#servers.get(port)!
  }

  /** @param folder with what it starts from; without it, it is empty */
  async #restart(peer: Peer, folder?: string): Promise<void> {
    const dir = folder === undefined ? [] : ['--dir', folder]
    this.#servers.set(peer.port, await this.#cluster.restart(this.#serverOf(peer), dir))
  }

  async #promoteReplicaOf(peers: readonly [Peer, Peer]): Promise<void> {
    await this.#promote((await inOrder(peers)).replica)
  }

  async #promote(replica: Peer, ...how: ('FORCE' | 'TAKEOVER')[]): Promise<void> {
    await ask(replica.port, (client) => client.call('CLUSTER', 'FAILOVER', ...how))
    await promoted(replica)
  }

  /** A node and its replica, in the places in which they were started. */
  #pairs(): [Peer, Peer][] {
    const { peers } = this.#backbone
    return Array.from({ length: PRIMARIES }, (_, place) => [peers[place]!, peers[place + PRIMARIES]!])
  }

  #onPair(kind: string, inflict: (pair: Pair, world: World) => Promise<unknown>, losesKeys = false): Fault {
    return {
      kind,
      losesKeys,
      inflict: async (world) => {
        const peers = world.random.pick(this.#pairs())
        await inflict(await inOrder(peers), world)
        this.#backbone.heal()
        await inOrder(peers)
      },
    }
  }

  #losing(kind: string, inflict: (pair: Pair, world: World) => Promise<unknown>): Fault {
    return this.#onPair(kind, inflict, true)
  }

  /** Moves slots from one primary to another while they are in use. */
  #reshard(kind: string, move: typeof moveByKey): Fault {
    return {
      kind,
      inflict: async ({ random }) => {
        const pairs = this.#pairs()
        const [source] = pairs.splice(random.integer(0, pairs.length - 1), 1)
        const [from, to] = await Promise.all([source!, random.pick(pairs)].map(inOrder))
        const [fromServer, toServer] = [this.#serverOf(from!.primary), this.#serverOf(to!.primary)]
        const used = await this.#control.usedSlots(fromServer)
        for (let moves = random.integer(1, 3); moves > 0 && used.length > 0; moves--) {
          const [slot] = used.splice(random.integer(0, used.length - 1), 1)
          const pause = (): Promise<void> => sleep(random.integer(0, 100))
          await move(this.#control, slot!, fromServer, toServer, pause)
        }
      },
    }
  }
}
