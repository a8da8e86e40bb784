import { quantile } from '../statistics.ts'
import type { Cannon } from './cannon.ts'
import type { WatchMethods } from './serve-http.ts'
import type { Served } from './served.ts'
import { steadyLatencies } from './steady-latencies.ts'

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

/** Requests are sent at a steady rate, whatever the server does. Latencies count from when they were due. */
export async function keepRate(urls: readonly string[], perSecond: number, seconds: number) {
  const latencies = await steadyLatencies(urls, perSecond, seconds)
  return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
}
