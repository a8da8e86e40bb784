import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres } from './find-postgres.ts'
import { freePort } from './free-port.ts'
import { makeDataFolder } from './data-folder.ts'
import { startServerProcess } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'
import { accessibleCopy, unprivilegedIdentity } from './unprivileged.ts'
import type { Identity } from './unprivileged.ts'

export interface PostgresServer extends ServerProcess {
  host: string
  port: number
  /** The administrator's connection, to the database `postgres`. */
  url: string
  version: string
}

/** Fast and forgetful: what these servers hold is not worth a single fsync. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // It may be memory.
  max_wal_size: '256MB',
  timezone: 'UTC',
}

/**
 * Starts an empty PostgreSQL on the loopback interface that dies with this process, its data with it.
 *
 * @param changed settings that differ from {@link SETTINGS}
 */
export async function startPostgres(changed: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const { home, version } = await findPostgres()
  const identity = await unprivilegedIdentity()
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'))
  const dataFolder = await makeDataFolder('postgres-')
  const password = randomBytes(12).toString('hex')
  const { bin, data } = await prepare(home, folder, dataFolder, password, identity).catch(
    async (error: unknown) => {
      for (const made of [folder, dataFolder]) await rm(made, { recursive: true, force: true })
      throw error
    },
  )

  const port = await freePort()
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
  const settings = Object.entries({ ...SETTINGS, ...changed }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const server = await startServerProcess({
    name: `PostgreSQL ${version}`,
    command: join(bin, 'postgres'),
    args: ['-D', data, '-p', String(port), ...settings],
    folder,
    dataFolder,
    endWith: 'QUIT', // KILL would leave its shared memory and its workers behind
    identity,
    probe: () => answers(url),
  })
  return { ...server, host: '127.0.0.1', port, url, version }
}

async function prepare(
  home: string,
  folder: string,
  dataFolder: string,
  password: string,
  identity: Identity | undefined,
) {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (identity) {
    for (const path of [folder, dataFolder, passwordFile]) await chown(path, identity.uid, identity.gid)
    home = await accessibleCopy(home, identity, join(folder, 'home'))
  }
  const bin = join(home, 'bin')
  const data = join(dataFolder, 'data')
  const user = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  // A random password needs no work to be guessed; every connection would pay for that work twice.
  const fast = ['-c', 'scram_iterations=1']
  // The built-in locale sorts the same on every machine.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const args = ['-D', data, ...user, ...locale, ...fast, '--no-sync', '--no-instructions']
  await promisify(execFile)(join(bin, 'initdb'), args, { cwd: folder, ...identity })
  return { bin, data }
}

async function answers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } finally {
    await client.end()
  }
}
