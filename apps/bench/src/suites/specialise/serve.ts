/** The process that serves one variant: `serve.ts DECISION VARIANT`. */
import { serveHttp } from '../../harness/http/serve-http.ts'
import { allDecisions, control } from './decisions.ts'

const [decision, variant] = process.argv.slice(2)
const found = [control, ...allDecisions].find(({ name }) => name === decision)!
await serveHttp(found.variants.find(({ name }) => name === variant)!.open())
