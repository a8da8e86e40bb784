import { setTimeout as sleep } from 'node:timers/promises'
import { probeLiveness } from '../probe-liveness.ts'
import { quantile } from '../statistics.ts'
import type { Cannon } from './cannon.ts'
import type { WatchMethods } from './serve-http.ts'
import type { Served } from './served.ts'

export interface Load {
  readonly paths: readonly string[]
  readonly connections: number
  readonly warmUpRequests: number
}

/** Requests as many responses as warm a server up, at least one by each connection. */
export async function warmUp(
  { url }: { readonly url: string },
  cannon: Cannon,
  { connections, paths, warmUpRequests }: Load,
): Promise<void> {
  await cannon.fire({ url, paths, connections, until: { requests: Math.max(connections, warmUpRequests) } })
}

/** Every connection sends its next request as soon as it has its response. */
export async function saturate<Methods extends WatchMethods>(
  served: Served<Methods>,
  cannon: Cannon,
  { connections, paths }: Omit<Load, 'warmUpRequests'>,
  seconds: number,
) {
  const shot = { url: served.url, paths, connections, until: { seconds } }
  const { result, cpuIdle, watched } = await served.watch(() => cannon.fire(shot))
  const { requestsPerSecond, averageMs, p99Ms, requests } = result
  const { cpuMs, ...loop } = watched
  return { requestsPerSecond, averageMs, p99Ms, ...loop, cpuIdle, cpuMsPerRequest: cpuMs / requests }
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
