import { join } from 'node:path'
import { forkModule } from './forked.ts'

export interface Shot {
  readonly url: string
  /** Asked for by each connection in this order, each from another one on. */
  readonly paths: readonly string[]
  /** Each has one request under way, and sends the next as soon as it has its answer. */
  readonly connections: number
  readonly until: { readonly seconds: number } | { readonly requests: number }
}

export interface ShotResult {
  readonly requestsPerSecond: number
  readonly requests: number
  /** Latencies are counted from when a request was sent: a server that is slow is sent fewer. */
  readonly averageMs: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Errors, time-outs and answers other than 2xx. */
  readonly failures: number
}

/** autocannon in a process of its own. */
export interface Cannon {
  /** @throws when one request failed */
  fire(shot: Shot): Promise<ShotResult>
  stop(): Promise<void>
}

export async function openCannon(): Promise<Cannon> {
  const forked = forkModule(join(import.meta.dirname, 'fire.ts'))
  await forked.next()
  return {
    async fire(shot) {
      const result = (await forked.ask(shot)) as ShotResult
      if (result.failures === 0 && result.requests > 0) return result
      throw new Error(
        `${shot.url} failed ${result.failures} of ${result.requests + result.failures} requests.`,
      )
    },
    stop: () => forked.stop(),
  }
}
