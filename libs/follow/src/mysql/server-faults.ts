import { messageOf } from '../database-url.js'
import { type MysqlConnection, rowsOf } from './connect.js'
import { showLogStatus, showReplicaStatus } from './log-end.js'
import { isMariadb, type Variables, versionOf } from './server-variables.js'

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
    | 'gtid-mode'
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
  return [...settingFaults(variables), ...(await statusFaults(client, variables, database))]
}

/** Returns which settings of a server do not let changes be followed. */
export function settingFaults(variables: Variables): readonly MysqlFault[] {
  const is = (name: string, ...values: string[]): boolean =>
    values.includes((variables.get(name) ?? '').toUpperCase())
  const setting = (kind: MysqlFault['kind'], name: string, value: string, why = ''): MysqlFault | false =>
    !is(name, value) && {
      kind,
      problem: `${name} is ${variables.get(name) || 'not there'}${why}.`,
      remedy: `Run: SET GLOBAL ${name} = '${value}'; and set it in the configuration of the server.`,
    }
  const ofMariadb = isMariadb(variables)
  const [major, minor] = versionOf(variables)
  const isOld = ofMariadb ? major < 10 || (major === 10 && minor < 5) : major < 8
  const faults: (MysqlFault | false)[] = [
    isOld && {
      kind: 'version',
      problem: `The server is ${ofMariadb ? 'MariaDB' : 'MySQL'} ${variables.get('version')}.`,
      remedy: 'MariaDB 10.5, MySQL 8.0 and later ones can be followed.',
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
    ...(ofMariadb
      ? [is('log_bin_compress', 'ON') && setting('binlog-compression', 'log_bin_compress', 'OFF')]
      : [
          is('binlog_transaction_compression', 'ON') &&
            setting('binlog-compression', 'binlog_transaction_compression', 'OFF'),
          !is('binlog_row_value_options', '') &&
            setting('binlog-row-image', 'binlog_row_value_options', '', ', so that parts of JSON are logged'),
          !is('gtid_mode', 'ON') && {
            kind: 'gtid-mode' as const,
            problem: `gtid_mode is ${variables.get('gtid_mode')}, so the server does not say which commits readers see.`,
            remedy:
              'Set gtid_mode = ON and enforce_gtid_consistency = ON in its configuration, and restart it.',
          },
        ]),
  ]
  return faults.filter((fault) => fault !== false)
}

async function statusFaults(
  client: MysqlConnection,
  variables: Variables,
  database: string,
): Promise<MysqlFault[]> {
  try {
    const [status] = await rowsOf<{ Binlog_Do_DB: string; Binlog_Ignore_DB: string }>(
      client,
      showLogStatus(variables),
    )
    const { Binlog_Do_DB: only = '', Binlog_Ignore_DB: ignored = '' } = status ?? {}
    const faults: (MysqlFault | false)[] = [
      // Rows are left out by the database of their table, and statements by the one in which they are run.
      `${only}${ignored}` !== '' && {
        kind: 'binlog-filter',
        problem:
          `binlog_do_db is "${only}", binlog_ignore_db "${ignored}": the binlog leaves out databases, and TRUNCATE and ALTER TABLE of all ` +
          'tables, if they are run in one of these, or in none.',
        remedy: 'Remove these options from the configuration of the server, and restart it.',
      },
      !logsReplicated(variables) &&
        (await isReplica(client, variables)) && {
          kind: 'replica',
          problem: 'The server replicates another one, and does not log what it gets from there.',
          remedy:
            'Give the URL of the primary; or set log_slave_updates = ON (in MySQL: log_replica_updates) in the configuration of the server, and restart it.',
        },
    ]
    return faults.filter((fault) => fault !== false)
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

/** Whether a replica logs the writes of its primary. The variable has another name in newer versions of MySQL. */
const logsReplicated = (variables: Variables): boolean =>
  (variables.get('log_replica_updates') ?? variables.get('log_slave_updates')) !== 'OFF'

async function isReplica(client: MysqlConnection, variables: Variables): Promise<boolean> {
  if (!isMariadb(variables)) return (await rowsOf(client, showReplicaStatus(variables))).length > 0
  // What the user may ask for does not show replication that has stopped for a moment.
  if (variables.get('gtid_slave_pos')) return true
  const [running] = await rowsOf<{ Value: string }>(client, "SHOW GLOBAL STATUS LIKE 'Slaves_running'")
  return Number(running?.Value ?? 0) > 0
}
