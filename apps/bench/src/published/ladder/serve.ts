/** The process that serves one step: `serve.ts STEP`, with DATABASE_URL and VALKEY_URL. */
import { serveHttp } from '../../harness/http/serve-http.ts'
import { openStep } from './steps.ts'

const report = await openStep(process.argv[2]!, process.env.DATABASE_URL!, process.env.VALKEY_URL!)
await serveHttp((path) => report(path.slice('/reports/'.length)))
