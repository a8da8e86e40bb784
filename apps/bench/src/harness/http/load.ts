import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { probeLiveness } from '../probe-liveness.ts'
import { quantile } from '../statistics.ts'
import type { WatchMethods } from './serve-http.ts'
import type { Served } from './served.ts'

export interface Load {
  /** Requested by each connection in this order, each from another one on. */
  readonly paths: readonly string[]
  /** Each has one request in flight, and sends the next when it has the response. */
  readonly connections: number
  readonly warmUpRequests: number
}

/** @param until a number of requests, or seconds @throws when a request failed */
async function fire(
  url: string,
  { paths, connections }: Load,
  until: { readonly amount: number } | { readonly duration: number },
) {
  let clients = 0
  const result = await autocannon({
    url,
    connections,
    ...until,
    // A run ends with a sample, by default one a second.
    sampleInt: 50,
    setupClient(client) {
      const first = clients++ % paths.length
      const turned = [...paths.slice(first), ...paths.slice(0, first)]
      client.setRequests(turned.map((path) => ({ method: 'GET', path })))
    },
  })
  const { duration, errors, latency, non2xx, '2xx': requests } = result
  const failures = errors + non2xx
  if (failures > 0) throw new Error(`${url} failed ${failures} of ${requests + failures} requests.`)
  // Latencies count from the sending of a request: a slow server is sent fewer.
  return { requests, requestsPerSecond: requests / duration, averageMs: latency.average, p99Ms: latency.p99 }
}

/** Requests as many responses as warm a server up, at least one by each connection. */
export const warmUp = ({ url }: { readonly url: string }, load: Load) =>
  fire(url, load, { amount: Math.max(load.connections, load.warmUpRequests) })

/** Every connection sends its next request as soon as it has its response. */
export async function saturate<Methods extends WatchMethods>(
  { url, watch }: Served<Methods>,
  load: Load,
  seconds: number,
) {
  const { result, cpuIdle, watched } = await watch(async () => {
    const shot = await fire(url, load, { duration: seconds })
    // On a busy machine no response may arrive in a short time; then each connection waits for one.
    return shot.requests > 0 ? shot : fire(url, load, { amount: load.connections })
  })
  const { requests, ...latencies } = result
  const { cpuMs, ...loop } = watched
  return { ...latencies, ...loop, cpuIdle, cpuMsPerRequest: cpuMs / requests }
}

/**
 * Requests URLs in turn at a steady rate, whatever the server does. Latencies count from when each request was due. autocannon 9.0 corrects
 * a rate as if requests of a connection were 1 ms apart, so the bench sends this load itself.
 */
export async function keepRate(urls: readonly string[], perSecond: number, seconds: number) {
  const prober = probeLiveness(urls, 1_000 / perSecond)
  try {
    const from = performance.now()
    await sleep(seconds * 1_000)
    const latencies = await prober.latencies(from, performance.now())
    return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
  } finally {
    prober.stop()
  }
}
