import { setTimeout as sleep } from 'node:timers/promises'
import { probeLiveness } from '../probe-liveness.ts'

/**
 * Requests URLs in turn at a steady rate, whatever the server does. autocannon 9.0 corrects a rate as if requests of a
 * connection were 1 ms apart, so the bench sends this load itself.
 *
 * @returns milliseconds from when each request was due
 */
export async function steadyLatencies(
  urls: readonly string[],
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const prober = probeLiveness(urls, 1_000 / perSecond)
  try {
    const from = performance.now()
    await sleep(seconds * 1_000)
    return await prober.latencies(from, performance.now())
  } finally {
    prober.stop()
  }
}
