/** The process that serves: `serve.ts observed,bare` or one of them, with VALKEY_URL and an IPC channel. Tells its processor time when asked. */
import { cpuTime } from '../measure/cpu-time.ts'
import { createGraphqlApp } from './graphql-app.ts'
import type { ServedAs } from './observe-measurements.ts'

const urls: Partial<Record<ServedAs, string>> = {}
for (const served of process.argv[2]!.split(',') as ServedAs[]) {
  const app = await createGraphqlApp(served, process.env.VALKEY_URL!)
  await app.listen(0, '127.0.0.1')
  urls[served] = await app.getUrl()
}

process.on('message', () => process.send!(cpuTime()))
// The connections are left open: they go with the process.
process.on('disconnect', () => process.exit())
process.send!(urls)
