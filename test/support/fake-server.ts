import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

export type Reply = string | number | Error | null | readonly Reply[]

function bytesOf(reply: Reply): string {
  if (reply === null) return '$-1\r\n'
  if (reply instanceof Error) return `-${reply.message}\r\n`
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`
  return `*${reply.length}\r\n${reply.map(bytesOf).join('')}`
}

const started: FakeServer[] = []

/** A server that speaks the protocol of Valkey, and answers commands as a test has it, and others with OK. */
export class FakeServer {
  readonly sent: string[] = []
  readonly sockets = new Set<Socket>()
  /** By the beginning of a command in capitals. Those that follow wait for a promise. */
  replies: Record<string, Reply | Promise<Reply>> = {}
  readonly #server: Server

  constructor() {
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async start(replies: FakeServer['replies'] = {}): Promise<FakeServer> {
    const server = new FakeServer()
    server.replies = replies
    started.push(server)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  static stopAll(): void {
    for (const server of started.splice(0)) server.stop()
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }
  get name(): string {
    return `127.0.0.1:${this.port}`
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.sockets) socket.destroy()
  }

  /** Resolves when no connection is left. */
  async isLeft(): Promise<void> {
    // Not `once` of node:events, which rejects if a client has left before its answer.
    for (const socket of this.sockets) await new Promise((resolve) => socket.once('close', resolve))
  }

  #serve(socket: Socket): void {
    this.sockets.add(socket)
    let text = ''
    let written = Promise.resolve()
    socket.on('error', () => {})
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (text === 'PING\r\n') socket.write('+PONG\r\n')
      // Such as the first bytes of TLS.
      else if (!text.startsWith('*')) socket.destroy()
      for (;;) {
        const [whole, count] = /^\*(\d+)\r\n/.exec(text) ?? []
        if (whole === undefined) return
        const words = text.slice(whole.length).split('\r\n')
        if (words.length <= 2 * Number(count)) return
        const command = words.slice(0, 2 * Number(count)).filter((_, i) => i % 2 === 1)
        text = words.slice(2 * Number(count)).join('\r\n')
        const reply = this.#replyTo(command)
        written = written.then(async () => void socket.write(bytesOf(await reply)))
      }
    })
  }

  #replyTo(command: readonly string[]): Reply | Promise<Reply> {
    const [name, ...args] = command as [string, ...string[]]
    const words = [name.toUpperCase(), ...args].join(' ')
    this.sent.push(words)
    if (name.toUpperCase() === 'HELLO') return new Error("ERR unknown command 'HELLO'")
    const found = Object.keys(this.replies).find((each) => words.startsWith(each))
    return found === undefined ? 'OK' : this.replies[found]!
  }
}
