import { FaultyWire } from './faulty-wire.ts'

/** A server as its peers know it: they reach it through proxies alone, and see which address it calls from. */
export interface Peer {
  /** Where it listens. */
  readonly port: number
  /** Where its peers find it. */
  readonly announced: number
  readonly address: string
  readonly links: readonly FaultyWire[]
}

/** The network between servers. Pods have wires of their own, so that they still reach a server that its peers have lost. */
export class Backbone {
  readonly #peers: Peer[] = []
  #added = 0

  /** In the order in which they were added. */
  get peers(): readonly Peer[] {
    return this.#peers
  }

  /** Puts a proxy before each port of a server. @returns the announced ports, and what the server needs on its command line */
  async add(port: number, ...others: number[]): Promise<{ ports: number[]; args: string[] }> {
    const place = this.#added++
    // Linux has the whole network 127.0.0.0/8 on its loopback interface.
    const address = `127.0.1.${place + 1}`
    const links = await Promise.all([port, ...others].map((target) => FaultyWire.start(target)))
    const ports = links.map((link) => link.port)
    this.#peers[place] = { port, announced: ports[0]!, address, links }
    return { ports, args: ['--bind-source-addr', address] }
  }

  /** Cuts a server off from all others until {@link heal}. */
  isolate(peer: Peer): void {
    for (const link of peer.links) {
      link.faults.refuses = true
      link.cut()
    }
    for (const other of this.#peers) if (other !== peer) this.#refuse(other, peer)
  }

  /** Keeps a replica from receiving more of its primary until {@link heal}. */
  stopReplication(primary: Peer, replica: Peer): void {
    this.#refuse(primary, replica, primary.links.slice(0, 1))
  }

  heal(): void {
    for (const { links } of this.#peers) for (const link of links) link.heal()
  }

  async close(): Promise<void> {
    await Promise.all(this.#peers.flatMap(({ links }) => links.map((link) => link.close())))
  }

  #refuse(peer: Peer, from: Peer, links = peer.links): void {
    for (const link of links) {
      link.faults.refuses = (address) => address === from.address
      link.cutFrom(from.address)
    }
  }
}
