/**
 * The process that serves: `serve.ts observed,bare` or one of them, with VALKEY_URL and an IPC channel. Told who is asked next, it
 * observes or does not, and tells its processor time.
 */
import { cpuTime } from '../measure/cpu-time.ts'
import { createGraphqlApp } from './graphql-app.ts'
import type { ServedAs } from './observe-measurements.ts'
import { standingParts } from './standing-parts.ts'

const urls: Partial<Record<ServedAs, string>> = {}
const standing: { start(): void; stop(): void }[] = []
for (const served of process.argv[2]!.split(',') as ServedAs[]) {
  const app = await createGraphqlApp(served, process.env.VALKEY_URL!)
  await app.listen(0, '127.0.0.1')
  urls[served] = await app.getUrl()
  if (served === 'observed') standing.push(...standingParts(app))
}

process.on('message', (served: ServedAs) => {
  for (const part of standing) {
    if (served === 'observed') part.start()
    else part.stop()
  }
  process.send!(cpuTime())
})
// The connections are left open: they go with the process.
process.on('disconnect', () => process.exit())
process.send!(urls)
