import { startServerProxy } from '../../support/server-proxy.ts'
import { valkeyUrl } from '../../support/servers.ts'

/** A command as it was sent: its name, and its arguments. */
export type Command = readonly string[]

/** A connection to Valkey that keeps what is sent over it. */
export interface RecordedWire {
  readonly url: string
  /** What was sent since the last call: the commands of each round trip. */
  readonly flights: () => readonly (readonly Command[])[]
  readonly stop: () => Promise<void>
}

/** Long enough for a process to send whatever does not wait for a reply. */
const replyDelayMs = 20

export async function recordWire(): Promise<RecordedWire> {
  const url = new URL(valkeyUrl())
  let flights: Command[][] = []
  let hasReplied = true
  const proxy = await startServerProxy(Number(url.port), {
    sent(text) {
      if (hasReplied) flights.push([])
      hasReplied = false
      flights.at(-1)!.push(...commandsIn(text))
    },
    replied() {
      hasReplied = true
    },
  })
  proxy.delayMs = replyDelayMs
  url.port = String(proxy.port)
  return {
    url: url.href,
    flights() {
      const sent = flights
      flights = []
      hasReplied = true
      return sent
    },
    stop: proxy.stop,
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
