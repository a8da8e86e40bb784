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
 * Locks the embedded database for this process until you call the returned function or the process ends.
 *
 * PGlite does not detect a second process, which would corrupt its files. The lock is a listening socket instead of a PID
 * file: the system closes it however the process ends, and a reused PID cannot be mistaken for the owner.
 */
export async function lockEmbedded(dataDir: string): Promise<() => Promise<void>> {
  const path = socketPath(dataDir)
  const server = (await listen(path)) ?? (await replaceStale(dataDir, path))
  return () => new Promise((resolve) => server.close(() => resolve()))
}

function socketPath(dataDir: string): string {
  // Hashed, because socket paths are limited to about 100 characters.
  const name = `model-cache-auction-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

async function replaceStale(dataDir: string, path: string): Promise<Server> {
  const owner = await readOwnerPid(path)
  if (owner !== undefined) throw new EmbeddedDatabaseInUseError(dataDir, owner)
  rmSync(path, { force: true })
  const server = await listen(path)
  if (!server) throw new EmbeddedDatabaseInUseError(dataDir, 'unknown (it started at the same time)')
  return server
}

/** Listens, and sends the process id to every client. Resolves to `undefined` if the path is in use. */
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

/** Reads the process id of the owner. Resolves to `undefined` if no process listens. */
function readOwnerPid(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let pid = ''
    const socket = connect(path)
    // A stopped or blocked owner accepts connections but sends nothing. It still holds the lock.
    socket.setTimeout(1000, () => socket.destroy())
    socket.on('data', (chunk) => (pid += chunk.toString()))
    socket.on('connect', () => socket.once('close', () => resolve(pid || 'unknown')))
    socket.on('error', () => resolve(undefined))
  })
}
