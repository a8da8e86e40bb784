/** The process that serves one step: `serve.ts STEP`, with DATABASE_URL, VALKEY_URL and an IPC channel. */
import { serveWatched } from '../http/serve-watched.ts'
import { allSteps } from './steps/all-steps.ts'

const step = allSteps.find(({ name }) => name === process.argv[2])!
const report = await step.open({
  databaseUrl: process.env.DATABASE_URL!,
  valkeyUrl: process.env.VALKEY_URL!,
})
await serveWatched((path) => report(path.slice('/reports/'.length)))
