import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { Random } from '#prisma/demo/random.js'
import type { ValkeyServer } from '../../support/valkey-server.ts'
import type { FaultyServer, OpenedWires, ServerFault, ValkeyAccess } from './access.ts'
import { ask, flush, squeeze } from './ask.ts'
import type { Backbone, Peer } from './backbone.ts'
import { Disks } from './disks.ts'
import { FaultyWire } from './faulty-wire.ts'

const DEADLINE_MS = 60_000

/** A primary and its replica, as they are at the moment. */
export interface Pair {
  readonly primary: Peer
  readonly replica: Peer
}

type Inflict = (pair: Pair, random: Random) => Promise<unknown>

/** Primaries with a replica each. */
export abstract class PairedServer implements FaultyServer {
  readonly replicas = 1
  evicted = 0
  abstract readonly faults: readonly ServerFault[]
  protected readonly backbone: Backbone
  readonly #disks = new Disks()
  /** By port. */
  readonly #servers: Map<number, ValkeyServer>

  protected constructor(backbone: Backbone, servers: readonly ValkeyServer[]) {
    this.backbone = backbone
    this.#servers = new Map(servers.map((server) => [server.port, server]))
  }

  /** A server and its replica, in the places in which they were started. */
  protected abstract pairs(): (readonly [Peer, Peer])[]
  /** Starts a server that was killed. */
  protected abstract startAgain(
    server: ValkeyServer,
    as: 'primary' | 'replica',
    args: readonly string[],
  ): Promise<ValkeyServer>
  /** Resolves when a replica has become a primary, with or without the consent of the others. */
  protected abstract promote(replica: Peer, how?: 'FORCE' | 'TAKEOVER'): Promise<void>
  protected abstract accessBy(
    nodes: readonly { readonly host: string; readonly port: number }[],
  ): ValkeyAccess
  protected abstract stopServers(): Promise<void>

  async openWires(): Promise<OpenedWires> {
    const wires = await Promise.all(this.backbone.peers.map(({ port }) => FaultyWire.start(port)))
    return { wires, access: this.accessBy(wires.map(({ port }) => ({ host: '127.0.0.1', port }))) }
  }

  async stop(): Promise<void> {
    await this.stopServers()
    await this.backbone.close()
    await this.#disks.clear()
  }

  /** The faults that all paired servers have, by kind. */
  protected readonly common = {
    failover: ({ replica }) => this.promote(replica),
    primaryKill: async ({ primary, replica }, random) => {
      await this.serverOf(primary).kill('SIGKILL')
      await promoted(replica)
      await sleep(random.integer(0, 500))
      await this.#restart(primary, 'replica')
    },
    // It wakes up with clients, and does not know that it has been replaced.
    primaryHang: async ({ primary, replica }) => {
      await this.serverOf(primary).kill('SIGSTOP')
      await promoted(replica).finally(() => this.serverOf(primary).kill('SIGCONT'))
    },
    replicaStop: ({ replica }, random) => this.pause(replica, random),
    // Pods still reach the old primary.
    partition: async ({ primary, replica }, random) => {
      this.backbone.isolate(primary)
      await promoted(replica)
      await sleep(random.integer(0, 1_500))
    },
    lostWrites: async ({ primary, replica }, random) => {
      this.backbone.stopReplication(primary, replica)
      await sleep(random.integer(50, 600))
      await this.promote(replica, 'TAKEOVER')
    },
    // Back before its replica may take its place, which loses everything as well.
    emptyPrimary: async ({ primary }) => {
      await this.serverOf(primary).kill('SIGKILL')
      await this.#restart(primary, 'primary')
    },
    flush: ({ primary }) => flush(primary.port),
    eviction: async ({ primary }, random) => void (this.evicted += await squeeze(primary.port, random)),
  } satisfies Record<string, Inflict>

  /** A fault of one pair, after which it is in order again. */
  protected onPair(kind: string, inflict: Inflict): ServerFault {
    return {
      kind,
      losesKeys: ['emptyPrimary', 'flush', 'eviction'].includes(kind),
      inflict: async (random) => {
        const peers = random.pick(this.pairs())
        await inflict(await inOrder(peers), random)
        this.backbone.heal()
        await inOrder(peers)
      },
    }
  }

  protected commonFaults(...kinds: readonly (keyof PairedServer['common'])[]): ServerFault[] {
    return kinds.map((kind) => this.onPair(kind, this.common[kind]))
  }

  /**
   * Has a server come back with what it held some time before, as the data of its replica then. The cache fails closed, so this excuses
   * nothing.
   */
  protected async returnOld(
    peer: Peer,
    as: 'primary' | 'replica',
    random: Random,
    beforeStart = (): void => {},
  ): Promise<void> {
    const folder = await this.#disks.snapshotOf(peer.port)
    await sleep(random.integer(0, 1_500))
    await this.serverOf(peer).kill('SIGKILL')
    beforeStart()
    await this.#restart(peer, as, folder)
  }

  protected async pause(peer: Peer, random: Random): Promise<void> {
    await this.serverOf(peer).kill('SIGSTOP')
    await sleep(random.integer(100, 1_200))
    await this.serverOf(peer).kill('SIGCONT')
  }

  protected async promoteReplicaOf({ primary, replica }: Pair): Promise<void> {
    await this.promote((await inOrder([primary, replica])).replica)
  }

  protected serverOf({ port }: Peer): ValkeyServer {
    return this.#servers.get(port)!
  }

  protected natMap(nodes: readonly { readonly host: string; readonly port: number }[]) {
    return Object.fromEntries(
      this.backbone.peers.map(({ announced }, place) => [`127.0.0.1:${announced}`, nodes[place]!]),
    )
  }

  /** @param folder with what it starts from; without it, it is empty */
  async #restart(peer: Peer, as: 'primary' | 'replica', folder?: string): Promise<void> {
    const args = folder === undefined ? [] : ['--dir', folder]
    this.#servers.set(peer.port, await this.startAgain(this.serverOf(peer), as, args))
  }
}

/** Waits until one of two servers is a primary, and the other its replica and up to date. @throws after a minute */
export async function inOrder(peers: readonly [Peer, Peer]): Promise<Pair> {
  for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(25)) {
    const infos = await Promise.all(peers.map(replicationOf))
    for (const [place, primary] of peers.entries()) {
      const isPrimary = /role:master/.test(infos[place]!) && /state=online/.test(infos[place]!)
      if (isPrimary && /role:slave[^]*master_link_status:up/.test(infos[1 - place]!))
        return { primary, replica: peers[1 - place]! }
    }
    if (Date.now() > deadline) throw new Error(`Replication is not in order:\n${infos.join('\n')}`)
  }
}

/** Waits until a server has become a primary. @throws after a minute */
export async function promoted(peer: Peer): Promise<void> {
  for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(25)) {
    const info = await replicationOf(peer)
    if (info.includes('role:master')) return
    if (Date.now() > deadline) throw new Error(`A replica is not promoted:\n${info}`)
  }
}

/** Empty if the server does not answer. */
async function replicationOf({ port }: Peer): Promise<string> {
  const info = (client: Redis): Promise<string> => client.info('replication')
  return Promise.race([ask(port, info).catch(() => ''), sleep(500, '')])
}
