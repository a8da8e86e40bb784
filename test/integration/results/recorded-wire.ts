import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { valkeyUrl } from '../../support/servers.ts'

/** A command as it was sent: its name, and its arguments. */
export type Command = readonly string[]

/** A connection to Valkey that keeps what is sent over it. */
export interface RecordedWire {
  readonly url: string
  /** What was sent since the last call: the commands of each round trip. */
  readonly flights: () => readonly (readonly Command[])[]
  readonly stop: () => void
}

/** Long enough for a process to send whatever does not wait for a reply. */
const replyDelayMs = 20

export async function recordWire(): Promise<RecordedWire> {
  const url = new URL(valkeyUrl())
  const target = Number(url.port)
  let flights: Command[][] = []
  let hasReplied = true
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
    client.on('data', (bytes: Buffer) => {
      if (hasReplied) flights.push([])
      hasReplied = false
      // In Latin-1, each byte is a character.
      flights.at(-1)!.push(...commandsIn(bytes.toString('latin1')))
      upstream.write(bytes)
    })
    upstream.on('data', async (bytes: Buffer) => {
      await delay(replyDelayMs)
      hasReplied = true
      client.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    flights() {
      const sent = flights
      flights = []
      hasReplied = true
      return sent
    },
    stop: () => void server.close(),
  }
}

/** `*2\r\n$4\r\nmget\r\n$1\r\na\r\n`, as often as there are commands. */
function commandsIn(text: string): Command[] {
  const found: Command[] = []
  let at = 0
  const countOfLine = (): number => {
    const end = text.indexOf('\r\n', at)
    const count = Number(text.slice(at + 1, end))
    at = end + 2
    return count
  }
  while (at < text.length)
    found.push(
      Array.from({ length: countOfLine() }, () => {
        const length = countOfLine()
        const part = text.slice(at, at + length)
        at += length + 2
        return part
      }),
    )
  return found
}
