import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'

/** A Valkey of this application's own, which lives and dies with it. */
export interface ValkeyServer {
  readonly url: string
  readonly address: string
  stop(): Promise<void>
}

/** Starts the `valkey-server` on PATH, on a free port of the loopback interface; `undefined` when there is none. */
export async function startValkeyServer(): Promise<ValkeyServer | undefined> {
  const port = await freePort()
  const child = spawn('valkey-server', argumentsFor(port), { stdio: ['ignore', 'pipe', 'ignore'] })
  // Whatever ends this process, short of SIGKILL, ends the server too.
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

/** A cache and nothing else: nothing on disk, bounded memory. Evicts nothing, as that takes guards as well. */
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

/** Whether the server said that it accepts connections, before it failed or took too long. */
function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      resolve(false)
    }, 5000)
    const settle = (ready: boolean): void => {
      clearTimeout(timer)
      // Its log is not read any further, and must not fill the pipe.
      child.stdout?.removeAllListeners('data').resume()
      resolve(ready)
    }
    child.once('error', () => settle(false)) // not on PATH
    child.once('exit', () => settle(false))
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ready to accept connections')) settle(true)
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
