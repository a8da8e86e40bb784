import { setTimeout as sleep } from 'node:timers/promises'
import { startWatchedValkey, type ValkeyServer, type WatchedValkey } from '../../support/valkey-server.ts'
import type { ServerFault, ValkeyAccess } from './access.ts'
import { ask } from './ask.ts'
import { Backbone, type Peer } from './backbone.ts'
import { PairedServer, promoted } from './paired-server.ts'

/** A primary and its replica, watched by three Sentinels. */
export class SentinelServer extends PairedServer {
  readonly #valkey: WatchedValkey
  readonly faults: readonly ServerFault[] = [
    ...this.commonFaults('failover', 'primaryKill', 'primaryHang', 'replicaStop', 'partition'),
    ...this.commonFaults('lostWrites', 'emptyPrimary', 'flush'),
    this.onPair('oldPrimary', async (pair, random) => {
      await this.returnOld(pair.primary, 'primary', random)
      if (random.chance(0.5)) await this.promoteReplicaOf(pair)
    }),
  ]

  private constructor(valkey: WatchedValkey, backbone: Backbone) {
    super(backbone, [valkey.primary, valkey.replica])
    this.#valkey = valkey
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

  protected accessBy(nodes: readonly { readonly host: string; readonly port: number }[]): ValkeyAccess {
    const { name, sentinels } = this.#valkey
    return { kind: 'sentinel', sentinels, name, natMap: this.natMap(nodes) }
  }

  protected stopServers(): Promise<void> {
    return this.#valkey.stop()
  }

  protected startAgain(
    server: ValkeyServer,
    as: 'primary' | 'replica',
    args: readonly string[],
  ): Promise<ValkeyServer> {
    return this.#valkey.restart(server, as, args)
  }

  protected async promote(replica: Peer): Promise<void> {
    const { name, sentinels } = this.#valkey
    const failover = (): Promise<unknown> =>
      ask(sentinels[0]!.port, (client) => client.call('SENTINEL', 'FAILOVER', name))
    // Sentinels refuse it while the last one has not ended, and until they know that the replica is in order.
    while (!(await failover().then(Boolean, () => false))) await sleep(100)
    await promoted(replica)
  }

  protected pairs(): [Peer, Peer][] {
    return [[this.backbone.peers[0]!, this.backbone.peers[1]!]]
  }
}
