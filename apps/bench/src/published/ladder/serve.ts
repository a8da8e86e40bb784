/** The process that serves one step: `serve.ts STEP`, with DATABASE_URL and VALKEY_URL. */
import { serveHttp } from '../../harness/http/serve-http.ts'
import { allSteps } from './steps.ts'

const step = allSteps.find(({ name }) => name === process.argv[2])!
const report = await step.open({
  databaseUrl: process.env.DATABASE_URL!,
  valkeyUrl: process.env.VALKEY_URL!,
})
await serveHttp((path) => report(path.slice('/reports/'.length)))
