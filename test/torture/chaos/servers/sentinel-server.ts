import { setTimeout as sleep } from 'node:timers/promises'
import { startWatchedValkey, type ValkeyServer, type WatchedValkey } from '../../../support/valkey-server.ts'
import type { Fault, World } from '../faults/fault.ts'
import { FaultyWire } from '../faults/faulty-wire.ts'
import { ask } from './ask.ts'
import { Backbone, type Peer } from './backbone.ts'
import type { ChaosServer } from './chaos-server.ts'
import { Disks } from './disks.ts'
import type { OpenedWires } from './opened-wires.ts'
import { inOrder, type Pair, promoted } from './replication.ts'

/** A primary and its replica, watched by three Sentinels. */
export class SentinelServer implements ChaosServer {
  readonly #valkey: WatchedValkey
  readonly #backbone: Backbone
  readonly #disks = new Disks()
  /** By port. */
  readonly #servers: Map<number, ValkeyServer>
  readonly replicas = 1
  readonly evicted = 0
  readonly faults: readonly Fault[]

  private constructor(valkey: WatchedValkey, backbone: Backbone) {
    this.#valkey = valkey
    this.#backbone = backbone
    this.#servers = new Map([valkey.primary, valkey.replica].map((server) => [server.port, server]))
    this.faults = [
      this.#fault('failover', ({ replica }) => this.#promote(replica)),
      this.#fault('primaryKill', async ({ primary, replica }, { random }) => {
        await this.#serverOf(primary).kill('SIGKILL')
        await promoted(replica)
        await sleep(random.integer(0, 500))
        await this.#restart(primary, 'replica')
      }),
      this.#fault('primaryHang', async ({ primary, replica }) => {
        await this.#serverOf(primary).kill('SIGSTOP')
        await promoted(replica).finally(() => this.#serverOf(primary).kill('SIGCONT'))
      }),
      this.#fault('replicaStop', async ({ replica }, { random }) => {
        await this.#serverOf(replica).kill('SIGSTOP')
        await sleep(random.integer(100, 800))
        await this.#serverOf(replica).kill('SIGCONT')
      }),
      // Pods still reach the old primary.
      this.#fault('partition', async ({ primary, replica }, { random }) => {
        backbone.isolate(primary)
        await promoted(replica)
        await sleep(random.integer(0, 2_000))
      }),
      this.#fault('lostWrites', async ({ primary, replica }, { random }) => {
        backbone.stopReplication(primary, replica)
        await sleep(random.integer(50, 600))
        await this.#promote(replica)
      }),
      // It holds what it held some time before, and so does its replica then. The cache fails closed, so this excuses nothing.
      this.#fault('oldPrimary', async ({ primary, replica }, { random }) => {
        const folder = await this.#disks.snapshotOf(primary.port)
        await sleep(random.integer(0, 1_500))
        await this.#serverOf(primary).kill('SIGKILL')
        await this.#restart(primary, 'primary', folder)
        if (random.chance(0.5)) await this.#promote((await inOrder([primary, replica])).replica)
      }),
      // Back before the Sentinels notice.
      this.#fault(
        'emptyPrimary',
        async ({ primary }) => {
          await this.#serverOf(primary).kill('SIGKILL')
          await this.#restart(primary, 'primary')
        },
        true,
      ),
      this.#fault(
        'flush',
        ({ primary }) => ask(primary.port, async (client) => void (await client.flushall())),
        true,
      ),
    ]
  }

  static async start(): Promise<SentinelServer> {
    const backbone = new Backbone()
    const valkey = await startWatchedValkey({
      announce: async (port) => {
        const { ports, args } = await backbone.add(port)
        return { port: ports[0]!, args }
      },
    })
    for (const { port } of valkey.sentinels) {
      await ask(port, async (client) => {
        // Else the next failover has to wait for ten seconds.
        await client.call('SENTINEL', 'SET', valkey.name, 'failover-timeout', '1500')
        // An old primary becomes a replica when it has called itself a primary for four of these.
        await client.call('SENTINEL', 'DEBUG', 'PUBLISH-PERIOD', '500', 'INFO-PERIOD', '500')
      })
    }
    return new SentinelServer(valkey, backbone)
  }

  async openWires(): Promise<OpenedWires> {
    const { peers } = this.#backbone
    const wires = await Promise.all(peers.map(({ port }) => FaultyWire.start(port)))
    const natMap = Object.fromEntries(
      peers.map(({ announced }, place) => [
        `127.0.0.1:${announced}`,
        { host: '127.0.0.1', port: wires[place]!.port },
      ]),
    )
    const { name, sentinels } = this.#valkey
    return { wires, access: { kind: 'sentinel', sentinels, name, natMap } }
  }

  async stop(): Promise<void> {
    await this.#valkey.stop()
    await this.#backbone.close()
    await this.#disks.clear()
  }

  #serverOf({ port }: Peer): ValkeyServer {
    return this.#servers.get(port)!
  }

  /** @param folder with what it starts from; without it, it is empty */
  async #restart(peer: Peer, as: 'primary' | 'replica', folder?: string): Promise<void> {
    const dir = folder === undefined ? [] : ['--dir', folder]
    this.#servers.set(peer.port, await this.#valkey.restart(this.#serverOf(peer), as, dir))
  }

  async #promote(replica: Peer): Promise<void> {
    const { name, sentinels } = this.#valkey
    const failover = (): Promise<unknown> =>
      ask(sentinels[0]!.port, (client) => client.call('SENTINEL', 'FAILOVER', name))
    // Sentinels refuse it while the last one has not ended, and until they know that the replica is in order.
    while (!(await failover().then(Boolean, () => false))) await sleep(100)
    await promoted(replica)
  }

  #fault(kind: string, inflict: (pair: Pair, world: World) => Promise<unknown>, losesKeys = false): Fault {
    return {
      kind,
      losesKeys,
      inflict: async (world) => {
        const peers = this.#backbone.peers as [Peer, Peer]
        await inflict(await inOrder(peers), world)
        this.#backbone.heal()
        await inOrder(peers)
      },
    }
  }
}
