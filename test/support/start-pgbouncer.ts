import { chown, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { debianPackage } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { startServerProcess, type ServerProcess } from './server-process.ts'
import { answers } from './start-postgres.ts'
import { unprivilegedIdentity } from './unprivileged.ts'

export interface PgbouncerServer extends ServerProcess {
  /** Of the same database. */
  readonly url: string
}

/**
 * Starts a PgBouncer of Debian's package in front of a database, in transaction mode: statements outside of transactions take any of its
 * connections.
 *
 * @param connections to the database
 * @param statementMs milliseconds that a statement may take: a pooler drops what its clients ask for when they connect
 */
export async function startPgbouncer(
  databaseUrl: string,
  { connections, statementMs }: { readonly connections: number; readonly statementMs: number },
): Promise<PgbouncerServer> {
  const { bin, env } = await debianPackage('pgbouncer')
  const identity = await unprivilegedIdentity()
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  const { hostname, password, port: databasePort, username } = new URL(databaseUrl)
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${databasePort} user=${username} password=${password} connect_query='SET statement_timeout = ${statementMs}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 1000
ignore_startup_parameters = statement_timeout,extra_float_digits,options
server_login_retry = 1
`,
  )
  if (identity) for (const path of [folder, settings]) await chown(path, identity.uid, identity.gid)
  const url = new URL(databaseUrl)
  url.port = String(port)
  const server = await startServerProcess({
    name: 'PgBouncer',
    command: join(dirname(bin), 'sbin/pgbouncer'),
    args: [settings],
    env,
    folder,
    endWith: 'QUIT',
    identity,
    probe: () => answers(url.href),
  })
  return { ...server, url: url.href }
}
