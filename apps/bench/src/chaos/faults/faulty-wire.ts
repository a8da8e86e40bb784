import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from '../machine-time.ts'
import { commandsIn } from './commands-in.ts'

/** What may be wrong with a wire, all of it at once; nothing at first. */
export interface Ills {
  /** How much later a piece arrives, in milliseconds; asked for each. Pieces do not overtake each other. */
  delayMs: () => number
  /** Pieces in these directions are lost. A connection that has lost some is cut by whoever ends this. */
  loses: ReadonlySet<Direction>
  /** Pieces stay where they are until this resolves, and then arrive, even if who sent them has given up. */
  held: Promise<void> | undefined
  /** Whether the client is cut off when it has sent a piece, which arrives all the same. */
  cutsAfter: (piece: Buffer) => boolean
  /** New connections are ended at once. */
  refuses: boolean
  /** Whether a command is run once more, and how much later; null for not. */
  repeatsAfterMs: (words: readonly string[]) => number | null
}
export type Direction = 'up' | 'down'

/** A TCP proxy between one pod and a server. */
export class FaultyWire {
  readonly ills: Ills = healthy()
  readonly #target: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Of these, those of the pod. */
  readonly #clients = new WeakSet<Socket>()
  /** Commands that were repeated. */
  repeated = 0

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer((client) => this.#carry(client))
  }

  static async start(target: number): Promise<FaultyWire> {
    const wire = new FaultyWire(target)
    wire.#server.listen(0, '127.0.0.1')
    await once(wire.#server, 'listening')
    return wire
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  heal(): void {
    Object.assign(this.ills, healthy())
  }

  /** Ends all connections: at both ends, or at that of the pod alone, whose server still gets what was sent before. */
  cut(end: 'both' | 'client' = 'both'): void {
    for (const socket of this.#sockets) if (end === 'both' || this.#clients.has(socket)) socket.destroy()
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.close()
    this.cut()
    await once(this.#server, 'close')
  }

  #carry(client: Socket): void {
    this.#clients.add(this.#keep(client))
    if (this.ills.refuses) return void client.destroy()
    const server = this.#keep(connect(this.#target, '127.0.0.1'))
    const up = this.#pipe('up', client, server)
    const down = this.#pipe('down', server, client)
    // What was sent before the end still arrives.
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

  /** @returns what resolves when all has arrived that came in until now */
  #pipe(direction: Direction, from: Socket, to: Socket): () => Promise<void> {
    let arrived = Promise.resolve()
    const pass = async (bytes: Buffer, dueAt: number): Promise<void> => {
      const waitMs = dueAt - machineTime()
      if (waitMs > 0) await sleep(waitMs)
      while (this.ills.held) await this.ills.held
      if (this.ills.loses.has(direction)) return
      if (to.writable) to.write(bytes)
      if (direction === 'up') this.#repeat(bytes)
    }
    from.on('data', (bytes: Buffer) => {
      const dueAt = machineTime() + this.ills.delayMs()
      arrived = arrived.then(() => pass(bytes, dueAt))
      if (direction === 'up' && this.ills.cutsAfter(bytes)) from.destroy()
    })
    return () => arrived
  }

  #repeat(bytes: Buffer): void {
    if (this.ills.repeatsAfterMs === never) return
    for (const { bytes: command, words } of commandsIn(bytes)) {
      const laterMs = this.ills.repeatsAfterMs(words)
      if (laterMs === null) continue
      this.repeated++
      setTimeout(() => this.#sendAlone(Buffer.from(command)), laterMs).unref()
    }
  }

  /** On a connection of its own, as if the bytes had been on their way by themselves. */
  #sendAlone(command: Buffer): void {
    const socket = this.#keep(connect(this.#target, '127.0.0.1'))
    socket.on('data', () => socket.destroy())
    socket.write(command)
  }
}

const never = (): null => null

const healthy = (): Ills => ({
  delayMs: () => 0,
  loses: new Set(),
  held: undefined,
  cutsAfter: () => false,
  refuses: false,
  repeatsAfterMs: never,
})
