import { setTimeout as sleep } from 'node:timers/promises'
import { ClusterControl, moveAtOnce, moveByKey } from '../../support/cluster-control.ts'
import { startValkeyCluster, type ValkeyCluster, type ValkeyServer } from '../../support/valkey-server.ts'
import type { FaultKinds, ServerFault, ValkeyAccess } from './access.ts'
import { ask, deleteKey } from './ask.ts'
import { Backbone, type Peer } from './backbone.ts'
import { inOrder, PairedServer, promoted } from './paired-server.ts'

const PRIMARIES = 3

/** A cluster of three primaries with a replica each. */
export class ClusterServer extends PairedServer {
  readonly #cluster: ValkeyCluster
  readonly #control: ClusterControl
  readonly faults: readonly ServerFault[]

  private constructor(cluster: ValkeyCluster, backbone: Backbone, kinds: FaultKinds) {
    super(backbone, [...cluster.nodes, ...cluster.replicas])
    this.#cluster = cluster
    this.#control = new ClusterControl(cluster)
    const returns = [
      // Back before its replica may take its place, which then gets the old data.
      this.onPair('oldSnapshot', ({ primary }, random) => this.returnOld(primary, 'primary', random)),
      this.onPair('oldPrimary', async (pair, random) => {
        await this.returnOld(pair.primary, 'primary', random)
        await this.promoteReplicaOf(pair)
      }),
      this.onPair('oldReplica', async ({ primary, replica }, random) => {
        await this.returnOld(replica, 'replica', random, () => backbone.stopReplication(primary, replica))
        await this.promote(replica, 'TAKEOVER')
      }),
    ]
    const others = [
      ...this.commonFaults('failover', 'primaryKill', 'primaryHang', 'replicaStop', 'partition'),
      ...this.commonFaults('lostWrites', 'emptyPrimary', 'flush', 'eviction'),
      this.onPair('failoverByForce', ({ replica }, random) =>
        this.promote(replica, random.pick(['FORCE', 'TAKEOVER'])),
      ),
      this.onPair('primaryStop', ({ primary }, random) => this.pause(primary, random)),
      this.onPair('partitionByCommand', async ({ primary, replica }, random) => {
        backbone.isolate(primary)
        await sleep(random.integer(0, 200))
        await this.promote(replica, 'TAKEOVER')
        await sleep(random.integer(200, 2_000))
      }),
      this.#reshard('slotsByKey', moveByKey),
      this.#reshard('slotsAtOnce', moveAtOnce),
      { kind: 'catalogueHash', inflict: () => deleteKey(this.#ports, 'mc:{catalogue}') },
      { kind: 'catalogueEpoch', inflict: () => deleteKey(this.#ports, 'mc:{catalogue}:epoch') },
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
        const [announced, announcedBus] = ports as [number, number]
        const announcing = ['--cluster-announce-port', String(announced)]
        announcing.push('--cluster-announce-bus-port', String(announcedBus))
        // Each loses what its own slots have, and no more.
        const coverage = ['--cluster-require-full-coverage', 'no']
        return { port: announced, busPort: announcedBus, args: [...announcing, ...args, ...coverage] }
      },
    })
    return new ClusterServer(cluster, backbone, kinds)
  }

  protected accessBy(nodes: readonly { readonly host: string; readonly port: number }[]): ValkeyAccess {
    return { kind: 'cluster', nodes, natMap: this.natMap(nodes) }
  }

  protected async stopServers(): Promise<void> {
    this.#control.disconnect()
    await this.#cluster.stop()
  }

  protected startAgain(
    server: ValkeyServer,
    _: 'primary' | 'replica',
    args: readonly string[],
  ): Promise<ValkeyServer> {
    return this.#cluster.restart(server, args)
  }

  protected async promote(replica: Peer, ...how: ('FORCE' | 'TAKEOVER')[]): Promise<void> {
    await ask(replica.port, (client) => client.call('CLUSTER', 'FAILOVER', ...how))
    await promoted(replica)
  }

  protected pairs(): [Peer, Peer][] {
    const { peers } = this.backbone
    return Array.from({ length: PRIMARIES }, (_, place) => [peers[place]!, peers[place + PRIMARIES]!])
  }

  get #ports(): number[] {
    return this.backbone.peers.map(({ port }) => port)
  }

  /** Moves slots from one primary to another while they are in use. */
  #reshard(kind: string, move: typeof moveByKey): ServerFault {
    return {
      kind,
      inflict: async (random) => {
        const pairs = this.pairs()
        const [source] = pairs.splice(random.integer(0, pairs.length - 1), 1)
        const [from, to] = await Promise.all([source!, random.pick(pairs)].map(inOrder))
        const [fromServer, toServer] = [this.serverOf(from!.primary), this.serverOf(to!.primary)]
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
