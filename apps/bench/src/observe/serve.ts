/** The process that serves: `serve.ts observed|bare`, with VALKEY_URL and an IPC channel. Tells its processor time when asked. */
import { cpuTime } from '../measure/cpu-time.ts'
import { createGraphqlApp } from './graphql-app.ts'
import type { ServedAs } from './observe-measurements.ts'

const app = await createGraphqlApp(process.argv[2] as ServedAs, process.env.VALKEY_URL!)
await app.listen(0, '127.0.0.1')

process.on('message', () => process.send!(cpuTime()))
// The connections are left open: they go with the process.
process.on('disconnect', () => process.exit())
process.send!(await app.getUrl())
