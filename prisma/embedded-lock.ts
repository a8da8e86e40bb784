import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Thrown when another live process has the embedded database open. */
export class EmbeddedDatabaseInUseError extends Error {
  override readonly name = 'EmbeddedDatabaseInUseError'

  constructor(
    readonly dataDir: string,
    readonly pid: string,
  ) {
    super(
      `The embedded database ${dataDir} is open in process ${pid}, and PGlite serves one process at a time. ` +
        `Stop that process first (it is usually \`npm start\`), or set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

/**
 * Holds the embedded database for this process until the returned function is called or the process ends.
 *
 * PGlite does not notice a second process and would damage its files. The lock is a listening socket and not a file
 * with a process id in it: the system closes it with its owner, however that died, and no id can be mistaken for
 * another's.
 */
export async function lockEmbedded(dataDir: string): Promise<() => Promise<void>> {
  const path = socketPath(dataDir)
  const server = (await listen(path)) ?? (await replaceStale(dataDir, path))
  return () => new Promise((resolve) => server.close(() => resolve()))
}

function socketPath(dataDir: string): string {
  // Hashed, since the path of a socket may not be longer than about a hundred characters.
  const name = `model-cache-auction-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

async function replaceStale(dataDir: string, path: string): Promise<Server> {
  const owner = await askOwner(path)
  if (owner !== undefined) throw new EmbeddedDatabaseInUseError(dataDir, owner)
  rmSync(path, { force: true })
  const server = await listen(path)
  if (!server) throw new EmbeddedDatabaseInUseError(dataDir, 'unknown (it started at the same moment)')
  return server
}

/** Listens and tells whoever connects its process id; `undefined` when the path is taken. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end(String(process.pid)))
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(path, () => {
      server.unref()
      resolve(server)
    })
  })
}

/** The process id that the socket's owner tells; `undefined` when nobody listens any more. */
function askOwner(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let pid = ''
    const socket = connect(path)
    // A stopped or busy owner accepts and says nothing: still an owner.
    socket.setTimeout(1000, () => socket.destroy())
    socket.on('data', (chunk) => (pid += chunk.toString()))
    socket.on('connect', () => socket.once('close', () => resolve(pid || 'unknown')))
    socket.on('error', () => resolve(undefined))
  })
}
