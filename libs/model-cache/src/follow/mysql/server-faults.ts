import { messageOf } from '../database-url.js'
import { type MysqlConnection, rowsOf } from './connect.js'

/** The variables of a server, by their names. */
export type Variables = ReadonlyMap<string, string>

export async function readVariables(client: MysqlConnection): Promise<Variables> {
  const rows = await rowsOf<{ Variable_name: string; Value: string }>(client, 'SHOW GLOBAL VARIABLES')
  return new Map(rows.map(({ Variable_name: name, Value: value }) => [name.toLowerCase(), value]))
}

export const isMariadb = (variables: Variables): boolean =>
  /mariadb/i.test(`${variables.get('version')} ${variables.get('version_comment')}`)

/** Why the database does not let changes be followed. */
export interface MysqlFault {
  readonly kind:
    | 'version'
    | 'replica'
    | 'binlog'
    | 'binlog-format'
    | 'binlog-row-image'
    | 'binlog-row-metadata'
    | 'binlog-compression'
    | 'binlog-filter'
    | 'role'
  readonly problem: string
  readonly remedy: string
}

/** Returns why the database does not let changes be followed. @param database the one whose tables are followed */
export async function mysqlFaults(
  client: MysqlConnection,
  variables: Variables,
  database: string,
): Promise<readonly MysqlFault[]> {
  const is = (name: string, ...values: string[]): boolean =>
    values.includes((variables.get(name) ?? '').toUpperCase())
  const setting = (kind: MysqlFault['kind'], name: string, value: string): MysqlFault | false =>
    !is(name, value) && {
      kind,
      problem: `${name} is ${variables.get(name) || 'not there'}.`,
      remedy: `Run: SET GLOBAL ${name} = '${value}'; and set it in the configuration of the server.`,
    }
  const [major = 0, minor = 0] = (variables.get('version') ?? '').split('.').map(Number)
  const isOld = isMariadb(variables) && (major < 10 || (major === 10 && minor < 5))
  const faults: (MysqlFault | false)[] = [
    (isOld || !isMariadb(variables)) && {
      kind: 'version',
      problem: `The server is ${isMariadb(variables) ? 'MariaDB' : 'MySQL'} ${variables.get('version')};`,
      remedy: 'MariaDB 10.5 and later can be followed, MySQL cannot yet.',
    },
    is('log_bin', 'OFF', '') && {
      kind: 'binlog',
      problem: 'The server writes no binlog.',
      remedy: 'Set log_bin and server_id in its configuration, and restart it.',
    },
    is('read_only', 'ON') && {
      kind: 'replica',
      problem: 'The URL leads to a read replica: read_only is ON.',
      remedy: 'Give that of the primary.',
    },
    is('wsrep_on', 'ON') &&
      is('log_slave_updates', 'OFF') && {
        kind: 'replica',
        problem: 'A node of Galera logs the writes of other nodes only with log_slave_updates.',
        remedy: 'Set log_slave_updates = ON in the configuration of the server, and restart it.',
      },
    setting('binlog-format', 'binlog_format', 'ROW'),
    setting('binlog-row-image', 'binlog_row_image', 'FULL'),
    setting('binlog-row-metadata', 'binlog_row_metadata', 'FULL'),
    is('log_bin_compress', 'ON') && setting('binlog-compression', 'log_bin_compress', 'OFF'),
    ...(await statusFaults(client, database)),
  ]
  return faults.filter((fault) => fault !== false)
}

async function statusFaults(client: MysqlConnection, database: string): Promise<MysqlFault[]> {
  try {
    const [status] = await rowsOf<{ Binlog_Do_DB: string; Binlog_Ignore_DB: string }>(
      client,
      'SHOW MASTER STATUS',
    )
    const listed = (text: string | undefined): string[] => (text ? text.split(',') : [])
    const [only, ignored] = [listed(status?.Binlog_Do_DB), listed(status?.Binlog_Ignore_DB)]
    if ((only.length === 0 || only.includes(database)) && !ignored.includes(database)) return []
    return [
      {
        kind: 'binlog-filter',
        problem: `The binlog leaves out the database ${database}: binlog_do_db is "${only.join()}", binlog_ignore_db "${ignored.join()}".`,
        remedy: 'Remove these options from the configuration of the server, and restart it.',
      },
    ]
  } catch (error) {
    return [
      {
        kind: 'role',
        problem: `The user may not ask for the binlog: ${messageOf(error)}.`,
        remedy: `Run as an administrator: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO …; GRANT SELECT ON \`${database}\`.* TO …;`,
      },
    ]
  }
}
