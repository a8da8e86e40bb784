import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from '../clock.ts'
import { commandsIn } from './commands-in.ts'

/** Faults of a wire, which can be combined. */
export interface WireFaults {
  /** Delay of each piece in milliseconds. Pieces do not overtake each other. */
  delayMs: (direction: Direction) => number
  /** Loses pieces in these directions. Cut the wire afterwards: its connections are corrupt. */
  loses: ReadonlySet<Direction>
  /** Holds pieces until this resolves. They arrive even if their sender has given up. */
  held: Promise<void> | undefined
  /** Whether to cut off the client after a piece, which still arrives. */
  cutsAfter: (piece: Buffer) => boolean
  /** Ends new connections at once: all of them, or those from an address. */
  refuses: boolean | ((address: string) => boolean)
  /** Delay after which a command is delivered again; null for never. */
  repeatsAfterMs: (words: readonly string[]) => number | null
}
export type Direction = 'up' | 'down'

/** A TCP proxy between one pod and a server, or before one server of several. */
export class FaultyWire {
  readonly faults: WireFaults = healthy()
  /** The port to which new connections lead. */
  target: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The sockets of the pod. */
  readonly #clients = new WeakSet<Socket>()
  /** Number of repeated commands. */
  repeated = 0

  private constructor(target: number) {
    this.target = target
    this.#server = createServer((client) => this.#carry(client))
  }

  static async start(target: number): Promise<FaultyWire> {
    const wire = new FaultyWire(target)
    wire.#server.listen(0, '127.0.0.1')
    await once(wire.#server, 'listening')
    return wire
  }

  /** Before the server of a URL. @returns the same URL through the wire */
  static async to(url: string): Promise<{ readonly url: string; readonly wire: FaultyWire }> {
    const through = new URL(url)
    const wire = await FaultyWire.start(Number(through.port))
    through.port = String(wire.port)
    return { url: through.href, wire }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  heal(): void {
    Object.assign(this.faults, healthy())
  }

  /** Holds all data until the returned function is called. */
  hold(): () => void {
    const over = Promise.withResolvers<void>()
    this.faults.held = over.promise
    return () => {
      this.faults.held = undefined
      over.resolve()
    }
  }

  /** Ends all connections; at the pod's end alone, the server still receives what was sent before. */
  cut(end: 'both' | 'client' = 'both'): void {
    for (const socket of this.#sockets) if (end === 'both' || this.#clients.has(socket)) socket.destroy()
  }

  /** Ends the connections from an address. */
  cutFrom(address: string): void {
    for (const socket of this.#sockets)
      if (this.#clients.has(socket) && socket.remoteAddress === address) socket.destroy()
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.close()
    this.cut()
    await once(this.#server, 'close')
  }

  #carry(client: Socket): void {
    this.#clients.add(this.#keep(client))
    const { refuses } = this.faults
    if (typeof refuses === 'function' ? refuses(client.remoteAddress!) : refuses) return void client.destroy()
    const server = this.#keep(connect(this.target, '127.0.0.1'))
    const up = this.#pipe('up', client, server)
    const down = this.#pipe('down', server, client)
    // Data sent before the end still arrives.
    client.on('close', () => void up().then(() => server.destroySoon()))
    server.on('close', () => void down().then(() => client.destroySoon()))
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket)
    socket.setNoDelay()
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    return socket
  }

  /** @returns a function whose promise resolves when all data so far has arrived */
  #pipe(direction: Direction, from: Socket, to: Socket): () => Promise<void> {
    let arrived = Promise.resolve()
    const pass = async (bytes: Buffer, dueAt: number): Promise<void> => {
      const waitMs = dueAt - machineTime()
      if (waitMs > 0) await sleep(waitMs)
      while (this.faults.held) await this.faults.held
      if (this.faults.loses.has(direction)) return
      if (to.writable) to.write(bytes)
      if (direction === 'up') this.#repeat(bytes)
    }
    from.on('data', (bytes: Buffer) => {
      const dueAt = machineTime() + this.faults.delayMs(direction)
      arrived = arrived.then(() => pass(bytes, dueAt))
      if (direction === 'up' && this.faults.cutsAfter(bytes)) from.destroy()
    })
    return () => arrived
  }

  #repeat(bytes: Buffer): void {
    if (this.faults.repeatsAfterMs === never) return
    for (const { bytes: command, words } of commandsIn(bytes)) {
      const laterMs = this.faults.repeatsAfterMs(words)
      if (laterMs === null) continue
      this.repeated++
      setTimeout(() => this.#sendAlone(Buffer.from(command)), laterMs).unref()
    }
  }

  /** Sends on a connection of its own. */
  #sendAlone(command: Buffer): void {
    const socket = this.#keep(connect(this.target, '127.0.0.1'))
    socket.on('data', () => socket.destroy())
    socket.write(command)
  }
}

const never = (): null => null

const healthy = (): WireFaults => ({
  delayMs: () => 0,
  loses: new Set(),
  held: undefined,
  cutsAfter: () => false,
  refuses: false,
  repeatsAfterMs: never,
})
