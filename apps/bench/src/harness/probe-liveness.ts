import { Agent, get } from 'node:http'

/**
 * Requests an endpoint, or several in turn, at a steady rate, however long responses take, as a kubelet does. A latency
 * counts from when the probe was due, so that a late probe does not look fast.
 */
export function probeLiveness(url: string | readonly string[], everyMs: number) {
  const urls = typeof url === 'string' ? [url] : url
  const agent = new Agent({ keepAlive: true })
  const start = performance.now()
  /** Sent or due, by `performance.now()` of this process. */
  const probes: { readonly dueAt: number; latencyMs?: number }[] = []
  let failure: Error | undefined
  let timer: NodeJS.Timeout
  const send = (): void => {
    const now = performance.now()
    // More than one if this process was late.
    for (let dueAt = start + probes.length * everyMs; dueAt <= now; dueAt += everyMs) {
      const probe: (typeof probes)[number] = { dueAt }
      probes.push(probe)
      get(urls[probes.length % urls.length]!, { agent }, (response) => {
        if (response.statusCode !== 200) failure = new Error(`status ${response.statusCode}`)
        response.resume().once('end', () => (probe.latencyMs = performance.now() - dueAt))
      }).once('error', (error) => (failure = error))
    }
    timer = setTimeout(send, Math.max(0, start + probes.length * everyMs - performance.now()))
  }
  send()
  return {
    /** Returns the latencies of the probes that were due between two times, once all have responses. @throws when one failed */
    async latencies(from: number, to: number): Promise<number[]> {
      for (;;) {
        if (failure) {
          throw new Error(`The liveness endpoint does not respond: ${failure.message}`, { cause: failure })
        }
        const due = probes.filter(({ dueAt }) => dueAt >= from && dueAt <= to)
        const latencies = due.flatMap(({ latencyMs }) => latencyMs ?? [])
        // A late process has not sent all that were due.
        const allSent = start + probes.length * everyMs > to
        if (allSent && latencies.length === due.length) return latencies
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    stop(): void {
      clearTimeout(timer)
      agent.destroy()
    },
  }
}
export type LivenessProber = ReturnType<typeof probeLiveness>
