/** The process of the load generator: fires when it is told to, and answers with what came back. */
import autocannon from 'autocannon'
import type { Shot, ShotResult } from './cannon.ts'

process.on('message', async (shot: Shot) => process.send!(await fire(shot)))
process.on('disconnect', () => process.exit())
process.send!('ready')

/** On a busy machine no answer may come in so short a time; then each connection waits for one. */
async function fire(shot: Shot): Promise<ShotResult> {
  const result = await fireOnce(shot)
  if (result.requests + result.failures > 0) return result
  return fireOnce({ ...shot, until: { requests: shot.connections } })
}

async function fireOnce({ url, paths, connections, until }: Shot): Promise<ShotResult> {
  let fired = 0
  const result = await autocannon({
    url,
    connections,
    ...('seconds' in until ? { duration: until.seconds } : { amount: until.requests }),
    // A run ends with a sample, of which there is one a second otherwise.
    sampleInt: 50,
    // Each connection begins with another path, so that they do not all ask for the same at once.
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
