import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mariadb'
import { makeDataFolder } from './data-folder.ts'
import { findMariadb, type FoundMariadb } from './find-mariadb.ts'
import { freePort } from './free-port.ts'
import { startServerProcess, type ServerProcess } from './server-process.ts'

export interface MariadbServer extends ServerProcess {
  readonly port: number
  /** The administrator's connection. */
  readonly url: string
  readonly version: string
}

/** What makes an empty data folder one of a server, in this order. */
const SYSTEM_TABLES = [
  'mysql_system_tables.sql',
  'mysql_performance_tables.sql',
  'mysql_system_tables_data.sql',
]

/** Fast and forgetful: what these servers hold is not worth a single fsync. */
const SETTINGS = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=OFF',
  '--innodb-buffer-pool-size=64M',
  '--innodb-log-file-size=16M',
  '--log-bin=binlog',
  '--server-id=1',
  '--binlog-format=ROW',
  '--binlog-row-image=FULL',
  '--binlog-row-metadata=FULL',
  '--sync-binlog=0',
  '--skip-name-resolve',
  '--max-connections=200',
  '--default-time-zone=+00:00',
  // As `prisma migrate` creates its tables.
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_unicode_ci',
]

/** What a MariaDB needs to start, and to start again after it was killed. */
export interface MariadbFiles {
  readonly found: FoundMariadb
  readonly args: readonly string[]
  readonly dataFolder: string
  readonly port: number
  readonly password: string
  /** Removes its data. */
  remove(): Promise<void>
}

/** @param changed settings after those of tests */
export async function prepareMariadb(changed: readonly string[] = []): Promise<MariadbFiles> {
  const found = await findMariadb()
  const dataFolder = await makeDataFolder('mariadb-')
  const remove = (): Promise<void> => rm(dataFolder, { recursive: true, force: true })
  const args = [
    '--no-defaults',
    `--basedir=${found.home}`,
    `--datadir=${dataFolder}`,
    // As root it starts only if the option names root.
    `--user=${userInfo().username}`,
    ...SETTINGS,
  ]
  try {
    await bootstrap(found, args)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    found,
    args: [...args, ...changed],
    dataFolder,
    port: await freePort(),
    password: randomBytes(12).toString('hex'),
    remove,
  }
}

/**
 * Starts a MariaDB on the loopback interface that dies with this process, its data with it.
 *
 * @param files with what another one left. @default an empty one, which `stop` removes
 */
export async function startMariadb(files?: MariadbFiles): Promise<MariadbServer> {
  const { args, dataFolder, found, password, port } = files ?? (await prepareMariadb())
  const folder = await mkdtemp(join(tmpdir(), 'mariadb-'))
  const initFile = join(folder, 'init.sql')
  await writeFile(
    initFile,
    `CREATE USER IF NOT EXISTS test@'127.0.0.1' IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO test@'127.0.0.1' WITH GRANT OPTION;\n`,
    { mode: 0o600 },
  )
  const url = `mysql://test:${password}@127.0.0.1:${port}/mysql`
  const server = await startServerProcess({
    name: `MariaDB ${found.version}`,
    command: found.command,
    args: [
      ...args,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--init-file=${initFile}`,
    ],
    env: found.env,
    folder,
    dataFolder,
    keepsData: files !== undefined,
    endWith: 'KILL',
    probe: () => answers(url),
  })
  return { ...server, port, url, version: found.version }
}

/** Makes the system tables. `mariadb-install-db`, which does the same, needs programs of other packages. */
async function bootstrap({ command, env, home }: FoundMariadb, args: readonly string[]): Promise<void> {
  const scripts = SYSTEM_TABLES.map((name) => readFile(join(home, 'share/mysql', name), 'utf8'))
  const child = spawn(command, [...args, '--bootstrap'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (data) => (log += String(data)))
  child.stdin.end(['CREATE DATABASE mysql;', 'USE mysql;', ...(await Promise.all(scripts))].join('\n'))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) {
    throw new Error(
      `MariaDB did not make its tables (exit ${code}).\nLog: ${log.split('\n').slice(-15).join('\n')}`,
    )
  }
}

async function answers(url: string): Promise<void> {
  const connection = await createConnection(url.replace(/^mysql:/, 'mariadb:'))
  await connection.end()
}
