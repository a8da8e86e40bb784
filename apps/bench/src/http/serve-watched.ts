import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { watchProcess, type Watched } from './watch-process.ts'

/** What the process that serves is told, one at a time. */
export type Told = 'watch' | 'stop watching'
export type Answer = { readonly url: string } | { readonly watched: Watched | undefined }

/**
 * Serves JSON by path on a free port of 127.0.0.1, in a process that was forked: tells its URL, then watches itself from one
 * message to the next. What it is served of is left open and goes with the process.
 */
export async function serveWatched(answer: (path: string) => Promise<string> | string): Promise<void> {
  const server = createServer(async (request, response) => {
    try {
      const body = await answer(request.url!)
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    } catch (error) {
      response.writeHead(500)
      response.end(String(error))
    }
  }).listen(0, '127.0.0.1')
  // Nobody may find a connection closed that is about to be used.
  server.keepAliveTimeout = 0
  await once(server, 'listening')

  let stopWatching: (() => Watched) | undefined
  process.on('message', (told: Told) => {
    const watched = stopWatching?.()
    stopWatching = told === 'watch' ? watchProcess() : undefined
    process.send!({ watched } satisfies Answer)
  })
  process.on('disconnect', () => process.exit())
  const { port } = server.address() as AddressInfo
  process.send!({ url: `http://127.0.0.1:${port}` } satisfies Answer)
}
