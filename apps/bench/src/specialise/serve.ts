/** The process that serves one variant: `serve.ts DECISION VARIANT`, with an IPC channel. */
import { serveWatched } from '../http/serve-watched.ts'
import { allDecisions, noise } from './decisions/all-decisions.ts'

const [decision, variant] = process.argv.slice(2)
const found = [noise, ...allDecisions].find(({ name }) => name === decision)!
const work = await found.variants.find(({ name }) => name === variant)!.open()
await serveWatched(work)
