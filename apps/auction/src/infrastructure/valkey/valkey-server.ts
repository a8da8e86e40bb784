import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'

/** A Valkey server that this process has started and stops again. */
export interface ValkeyServer {
  readonly url: string
  readonly address: string
  stop(): Promise<void>
}

/** Starts the `valkey-server` on PATH on a free loopback port. Returns `undefined` if there is none. */
export async function startValkeyServer(): Promise<ValkeyServer | undefined> {
  const port = await freePort()
  const child = spawn('valkey-server', argumentsFor(port), { stdio: ['ignore', 'pipe', 'ignore'] })
  // Stops the server with this process, except after SIGKILL.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)

  if (!(await isReady(child))) {
    process.off('exit', kill)
    return undefined
  }
  child.unref()
  return {
    url: `valkey://127.0.0.1:${port}`,
    address: `127.0.0.1:${port}`,
    async stop() {
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.ref()
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** No persistence, bounded memory, and no eviction, which would also evict the guards of the cache. */
function argumentsFor(port: number): string[] {
  const options = {
    port: String(port),
    bind: '127.0.0.1',
    dir: tmpdir(),
    save: '',
    appendonly: 'no',
    maxmemory: '256mb',
    'maxmemory-policy': 'noeviction',
  }
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
}

/** Resolves to `false` if the server fails or takes longer than five seconds. */
function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      resolve(false)
    }, 5000)
    const finish = (ready: boolean): void => {
      clearTimeout(timer)
      // Discards the rest of the log, so that it does not fill the pipe.
      child.stdout?.removeAllListeners('data').resume()
      resolve(ready)
    }
    child.once('error', () => finish(false)) // not on PATH
    child.once('exit', () => finish(false))
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ready to accept connections')) finish(true)
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
