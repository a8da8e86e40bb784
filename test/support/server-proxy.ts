import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** A connection to a server that can be made to fail, and counts what passes over it. */
export interface ServerProxy {
  port: number
  /** The port of the server to which new connections lead. */
  target: number
  /** Milliseconds by which each reply comes later from now on. */
  delayMs: number
  /** Ends all connections, and refuses new ones until {@link accept}. */
  refuse: () => Promise<void>
  accept: () => Promise<void>
  /** Commands of this name that clients have sent, to a Valkey. */
  sent: (command: string) => number
  stop: () => Promise<void>
}

/** What hears what passes over a proxy. */
export interface ProxyListener {
  /** Called with what a client sends, where each character is a byte, before the server has it. */
  readonly sent?: (text: string) => void
  /** Called before a client gets a reply. */
  readonly replied?: () => void
}

export async function startServerProxy(port: number, listener: ProxyListener = {}): Promise<ServerProxy> {
  const sockets = new Set<Socket>()
  const counts = new Map<string, number>()
  const server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => {
      // `*2\r\n$4\r\nmget\r\n…`: what begins a command is not torn apart, since clients write it in one piece.
      const text = bytes.toString('latin1')
      listener.sent?.(text)
      for (const [, command] of text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        const name = command!.toLowerCase()
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
      upstream.write(bytes)
    })
    let written = Promise.resolve()
    upstream.on('data', (bytes) => {
      // A wire that becomes quick again does not let replies overtake those that are still on their way.
      const due = proxy.delayMs > 0 ? delay(proxy.delayMs, undefined, { ref: false }) : undefined
      written = written
        .then(() => due)
        .then(() => {
          listener.replied?.()
          client.write(bytes)
        })
    })
  })
  const listen = async (on: number): Promise<void> => {
    server.listen(on, '127.0.0.1')
    await once(server, 'listening')
  }
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const proxy: ServerProxy = {
    port: own,
    target: port,
    delayMs: 0,
    refuse: close,
    accept: () => listen(own),
    sent: (command) => counts.get(command) ?? 0,
    stop: async () => {
      if (server.listening) await close()
    },
  }
  return proxy
}
