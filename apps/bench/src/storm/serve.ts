/** The process that serves one case: `serve.ts CASE`, with VALKEY_URL, an IPC channel and `--expose-gc`. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { allCases } from './cases/all-cases.ts'
import type { Call, Ready, Reply } from './protocol.ts'
import { serveCase } from './serve-case.ts'

const stormCase = allCases.find(({ name }) => name === process.argv[2])!
const serving = await serveCase(stormCase, process.env.VALKEY_URL!)

process.on('message', async ({ method, argument }: Call) => {
  let reply: Reply
  try {
    reply = { value: await serving[method](argument as never) }
  } catch (error) {
    reply = { error: error instanceof Error ? error.message : String(error) }
  }
  process.send!(reply)
})
// The cases leave their connections open: they go with the process.
process.on('disconnect', () => process.exit())

const liveness = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
// A connection that is closed while the next probe is on its way would look like a server that does not answer.
liveness.keepAliveTimeout = 0
await once(liveness, 'listening')
const { port } = liveness.address() as AddressInfo
process.send!({ livenessUrl: `http://127.0.0.1:${port}/` } satisfies Ready)
