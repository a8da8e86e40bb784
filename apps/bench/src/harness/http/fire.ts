/** The process of the load generator. */
import autocannon from 'autocannon'
import { serveParent } from '../process.ts'

export interface Shot {
  readonly url: string
  /** Requested by each connection in this order, each from another one on. */
  readonly paths: readonly string[]
  /** Each has one request in flight, and sends the next when it has the response. */
  readonly connections: number
  readonly until: { readonly seconds: number } | { readonly requests: number }
}

export interface ShotResult {
  readonly requestsPerSecond: number
  readonly requests: number
  /** Latencies count from the sending of a request: a slow server is sent fewer. */
  readonly averageMs: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Errors, time-outs and responses other than 2xx. */
  readonly failures: number
}

const methods = serveParent({
  /** On a busy machine no response may arrive in a short time; then each connection waits for one. */
  async fire(shot: Shot): Promise<ShotResult> {
    const result = await fireOnce(shot)
    if (result.requests + result.failures > 0) return result
    return fireOnce({ ...shot, until: { requests: shot.connections } })
  },
})
export type Cannon = typeof methods

async function fireOnce({ url, paths, connections, until }: Shot): Promise<ShotResult> {
  let fired = 0
  const result = await autocannon({
    url,
    connections,
    ...('seconds' in until ? { duration: until.seconds } : { amount: until.requests }),
    // A run ends with a sample, by default one a second.
    sampleInt: 50,
    setupClient(client) {
      const first = fired++ % paths.length
      const turned = [...paths.slice(first), ...paths.slice(0, first)]
      client.setRequests(turned.map((path) => ({ method: 'GET', path })))
    },
  })
  const { latency, errors, non2xx } = result
  return {
    requestsPerSecond: result['2xx'] / result.duration,
    requests: result['2xx'],
    averageMs: latency.average,
    p99Ms: latency.p99,
    maxMs: latency.max,
    failures: errors + non2xx,
  }
}
