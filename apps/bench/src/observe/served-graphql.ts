import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import type { ServedAs } from './observe-measurements.ts'

/** Applications in a process of their own, seen from this one. */
export interface ServedGraphql {
  query(served: ServedAs, query: string): Promise<string>
  /** Milliseconds of processor time that the process has had, which observes from now on if that one is observed. */
  cpuTime(served: ServedAs): Promise<number>
  stop(): Promise<void>
}

/**
 * @param served which applications there are, in the order in which they are made
 * @throws when the process ends before it serves
 */
export async function serveGraphql(served: readonly ServedAs[], url: string): Promise<ServedGraphql> {
  const child = fork(join(import.meta.dirname, 'serve.ts'), [served.join()], {
    // Not as an argument, which everybody on the machine can read: it may hold a password.
    env: { ...process.env, VALKEY_URL: url, NODE_ENV: 'production' },
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code, signal]) => {
    throw new Error(`The process that serves GraphQL has ended with ${signal ?? code}.`)
  })
  ended.catch(() => {})
  const next = async (): Promise<unknown> =>
    ((await Promise.race([once(child, 'message'), ended])) as unknown[])[0]
  const urls = (await next()) as Record<ServedAs, string>
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async query(served, query) {
      const body = JSON.stringify({ query })
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const sent = request(`${urls[served]}/graphql`, { method: 'POST', agent, headers })
      sent.end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return text(response)
    },
    async cpuTime(served) {
      child.send(served)
      return (await next()) as number
    },
    async stop() {
      agent.destroy()
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
