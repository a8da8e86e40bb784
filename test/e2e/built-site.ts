import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const bin = (name: string): string => join(ROOT, 'docs/node_modules/.bin', name)
const run = promisify(execFile)

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

export interface BuiltSite {
  readonly folder: string
  readonly url: string
  close(): Promise<void>
}

/** Builds the documentation as `npm run docs:build` does, into a temporary folder, and serves the files as they are. */
export async function buildSite(): Promise<BuiltSite> {
  const folder = await mkdtemp(join(tmpdir(), 'model-cache-site-'))
  await run(bin('typedoc'), { cwd: join(ROOT, 'libs') })
  await run(bin('vitepress'), ['build', 'docs', '--outDir', folder], { cwd: ROOT })

  const server = createServer(async ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://site')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    try {
      const body = await readFile(join(folder, path))
      response
        .writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' })
        .end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    folder,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}
