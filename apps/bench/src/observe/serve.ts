/**
 * The process that serves both applications: `serve.ts observed|bare`, which is made first, with VALKEY_URL and an IPC channel. Told
 * which of them is asked next, it lets that one observe or not, and answers with its processor time.
 */
import { cpuTime } from '../measure/cpu-time.ts'
import { createGraphqlApp, observationOf } from './graphql-app.ts'
import type { ServedAs } from './observe-measurements.ts'

const first = process.argv[2] as ServedAs
const open = async (served: ServedAs) => {
  const app = await createGraphqlApp(served, process.env.VALKEY_URL!)
  await app.listen(0, '127.0.0.1')
  return app
}
const [one, other] = [await open(first), await open(first === 'bare' ? 'observed' : 'bare')]
const [bare, observed] = first === 'bare' ? [one, other] : [other, one]
const observation = observationOf(observed)

process.on('message', (next: ServedAs) => {
  if (next === 'observed') observation.start()
  else observation.stop()
  process.send!(cpuTime())
})
// The connections are left open: they go with the process.
process.on('disconnect', () => process.exit())
process.send!({ observed: await observed.getUrl(), bare: await bare.getUrl() })
