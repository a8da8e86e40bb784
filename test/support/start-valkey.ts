import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findValkeyServer } from './find-valkey-server.ts'
import { freePort } from './free-port.ts'
import { pingValkey } from './ping-valkey.ts'
import { startServerProcess, type ServerProcess } from './server-process.ts'

export interface ValkeyServer extends ServerProcess {
  host: string
  port: number
  /** `valkey://127.0.0.1:<port>` */
  url: string
  version: string
}

export interface StartValkeyOptions {
  /** Added to the command line, after the defaults, so they win: `['--maxmemory', '10mb']`. */
  args?: string[]
  /** @default a free one. Give the port of a stopped server to play a restart. */
  port?: number
}

/**
 * Starts an empty Valkey on the loopback interface that keeps nothing on disk and dies with this process.
 *
 * @example
 * const valkey = await startValkey({ args: ['--maxmemory', '10mb'] })
 * await valkey.kill('SIGSTOP') // a server that hangs; SIGCONT wakes it
 * await valkey.stop()
 */
export async function startValkey({ args = [], port }: StartValkeyOptions = {}): Promise<ValkeyServer> {
  const { command, env, name, version } = await findValkeyServer()
  for (let attempt = 1; ; attempt++) {
    const chosen = port ?? (await freePort())
    const folder = await mkdtemp(join(tmpdir(), 'valkey-'))
    try {
      const server = await startServerProcess({
        name: `${name} ${version}`,
        command,
        args: [...defaults(chosen, folder), ...args],
        env,
        folder,
        endWith: 'KILL',
        probe: () => pingValkey(chosen),
      })
      return { ...server, host: '127.0.0.1', port: chosen, url: `valkey://127.0.0.1:${chosen}`, version }
    } catch (error) {
      // Somebody may have taken the free port in the meantime.
      const taken = /address already in use/i.test(String(error))
      if (!taken || port !== undefined || attempt === 3) throw error
    }
  }
}

function defaults(port: number, folder: string): string[] {
  const network = ['--port', String(port), '--bind', '127.0.0.1']
  const nothingOnDisk = ['--dir', folder, '--save', '', '--appendonly', 'no']
  return [...network, ...nothingOnDisk, '--databases', '64']
}
