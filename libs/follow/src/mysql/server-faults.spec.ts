import { type ClientAnswers, mysqlClient } from '../../../../test/support/answering-client.js'
import { mysqlFaults, settingFaults } from './server-faults.js'
import { isMariadb, readVariables } from './server-variables.js'

const common = {
  log_bin: 'ON',
  read_only: 'OFF',
  binlog_format: 'ROW',
  binlog_row_image: 'FULL',
  binlog_row_metadata: 'FULL',
}
const servers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MariaDB: { ...common, version: '10.11.14-MariaDB-0+deb12u2', log_bin_compress: 'OFF' },
  MySQL: {
    ...common,
    version: '8.4.3',
    gtid_mode: 'ON',
    binlog_transaction_compression: 'OFF',
    binlog_row_value_options: '',
  },
}

const faultsOf = (server: string, changed: Readonly<Record<string, string>>): string[] =>
  settingFaults(new Map(Object.entries({ ...servers[server], ...changed }))).map(
    ({ problem, remedy }) => `${problem} ${remedy}`,
  )

describe('the settings of a server', () => {
  it.each(Object.keys(servers))('let changes of %s be followed', (server) => {
    expect(faultsOf(server, {})).toEqual([])
  })

  it.each([
    ['MariaDB', { version: '10.5.0-MariaDB' }],
    ['MariaDB', { version: '11.4.2-MariaDB' }],
    ['MariaDB', { wsrep_on: 'ON', log_slave_updates: 'ON' }],
    ['MariaDB', { wsrep_on: 'OFF', log_slave_updates: 'OFF' }],
    ['MySQL', { version: '8.0.40' }],
  ])('let changes of %s be followed: %j', (server, changed) => {
    expect(faultsOf(server, changed)).toEqual([])
  })

  it.each(Object.keys(servers))('are refused on %s, with what to run', (server) => {
    expect(
      faultsOf(server, { binlog_format: 'MIXED', binlog_row_image: 'MINIMAL', binlog_row_metadata: '' }),
    ).toEqual([
      "binlog_format is MIXED. Run: SET GLOBAL binlog_format = 'ROW'; and set it in the configuration of the server.",
      "binlog_row_image is MINIMAL. Run: SET GLOBAL binlog_row_image = 'FULL'; and set it in the configuration of the server.",
      "binlog_row_metadata is not there. Run: SET GLOBAL binlog_row_metadata = 'FULL'; and set it in the configuration of the server.",
    ])
  })

  it.each([
    ['MariaDB', { log_bin_compress: 'ON' }, "SET GLOBAL log_bin_compress = 'OFF';"],
    ['MySQL', { binlog_transaction_compression: 'ON' }, "SET GLOBAL binlog_transaction_compression = 'OFF';"],
    ['MySQL', { binlog_row_value_options: 'PARTIAL_JSON' }, "SET GLOBAL binlog_row_value_options = '';"],
    ['MySQL', { gtid_mode: 'OFF_PERMISSIVE' }, 'Set gtid_mode = ON and enforce_gtid_consistency = ON'],
    ['MySQL', { version: '5.7.44' }, 'MariaDB 10.5, MySQL 8.0 and later ones can be followed.'],
    ['MariaDB', { version: '10.4.34-MariaDB' }, 'MariaDB 10.5, MySQL 8.0 and later ones can be followed.'],
    ['MariaDB', { version: '5.5.68-MariaDB' }, 'MariaDB 10.5, MySQL 8.0 and later ones can be followed.'],
    ['MariaDB', { log_bin: 'OFF' }, 'Set log_bin and server_id in its configuration, and restart it.'],
    ['MySQL', { read_only: 'ON' }, 'Give that of the primary.'],
    ['MariaDB', { wsrep_on: 'ON', log_slave_updates: 'OFF' }, 'Set log_slave_updates = ON'],
  ])('are refused on %s: %j', (server, changed, remedy) => {
    const faults = faultsOf(server, changed)
    expect(faults).toEqual([expect.stringContaining(remedy)])
  })
})

describe('a server', () => {
  const faultsFor = async (answers: ClientAnswers, changed: object = {}) => {
    const variables = new Map<string, string>(Object.entries({ ...servers['MariaDB'], ...changed }))
    const faults = await mysqlFaults(mysqlClient(answers).client, variables, 'shop')
    return faults.map(({ kind, problem, remedy }) => `${kind}: ${problem} ${remedy}`)
  }
  const status = (only: string, ignored: string): ClientAnswers => [
    ['SHOW MASTER STATUS', [{ Binlog_Do_DB: only, Binlog_Ignore_DB: ignored }]],
  ]

  it.each([
    ['logs all databases', status('', '')],
    ['says nothing', []],
  ] as const)('is followed that %s', async (_, answers) => {
    expect(await faultsFor(answers)).toEqual([])
  })

  // Which statements these leave out depends on the database in which they are run.
  it.each([
    ['archive', ''],
    ['archive,shop', ''],
    ['', 'archive'],
    ['shop', 'shop'],
  ])('is refused that leaves out some databases: %s, %s', async (only, ignored) => {
    expect(await faultsFor(status(only, ignored), { read_only: 'ON' })).toEqual([
      expect.stringMatching(/^replica: /),
      `binlog-filter: binlog_do_db is "${only}", binlog_ignore_db "${ignored}": the binlog leaves out databases, and TRUNCATE and ALTER TABLE ` +
        'of all tables, if they are run in one of these, or in none. Remove these options from the configuration of the server, and restart it.',
    ])
  })

  const running = (count: string): ClientAnswers => [
    ["SHOW GLOBAL STATUS LIKE 'Slaves_running'", [{ Variable_name: 'Slaves_running', Value: count }]],
  ]
  const mysql = (version: string, change: object) => ({
    version,
    gtid_mode: 'ON',
    log_slave_updates: undefined,
    ...change,
  })

  it.each<[string, ClientAnswers, object]>([
    ['replicates now', running('1'), {}],
    ['has replicated', running('0'), { gtid_slave_pos: '0-1-7' }],
    [
      'is a replica, of MySQL 8.0',
      [['SHOW SLAVE STATUS', [{ Source_Host: 'primary' }]]],
      mysql('8.0.40', { log_replica_updates: 'OFF', log_slave_updates: 'OFF' }),
    ],
    [
      'is a replica, of MySQL 8.4',
      [['SHOW REPLICA STATUS', [{ Source_Host: 'primary' }]]],
      mysql('8.4.3', { log_replica_updates: 'OFF' }),
    ],
  ])('is refused that %s, and does not log it', async (_, answers, changed) => {
    expect(await faultsFor(answers, { log_slave_updates: 'OFF', ...changed })).toEqual([
      'replica: The server replicates another one, and does not log what it gets from there. Give the URL of the primary; or set ' +
        'log_slave_updates = ON (in MySQL: log_replica_updates) in the configuration of the server, and restart it.',
    ])
  })

  it.each<[string, ClientAnswers, object]>([
    ['logs what it replicates', running('1'), { log_slave_updates: 'ON', gtid_slave_pos: '0-1-7' }],
    ['has never replicated', running('0'), { log_slave_updates: 'OFF', gtid_slave_pos: '' }],
    ['does not say whether it replicates', [], { log_slave_updates: 'OFF' }],
    [
      'logs what it replicates, of MySQL',
      [['SHOW REPLICA STATUS', [{ Source_Host: 'primary' }]]],
      mysql('8.4.3', { log_replica_updates: 'ON', log_slave_updates: 'OFF' }),
    ],
    ['is no replica, of MySQL', [], mysql('8.4.3', { log_replica_updates: 'OFF' })],
  ])('is followed that %s', async (_, answers, changed) => {
    expect(await faultsFor(answers, changed)).toEqual([])
  })

  it('is refused that does not permit to ask', async () => {
    expect(await faultsFor([['SHOW', new Error('denied')]])).toEqual([
      'role: The user may not ask for the binlog: denied. Run as an administrator: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO …; GRANT SELECT ON `shop`.* TO …;',
    ])
  })

  it('has variables, by which it is known', async () => {
    const rows = [
      { Variable_name: 'Version', Value: '10.11.14' },
      { Variable_name: 'version_comment', Value: 'mariadb.org binary distribution' },
    ]
    const variables = await readVariables(mysqlClient([['SHOW GLOBAL VARIABLES', rows]]).client)
    expect(variables).toEqual(
      new Map([
        ['version', '10.11.14'],
        ['version_comment', 'mariadb.org binary distribution'],
      ]),
    )
    expect([isMariadb(variables), isMariadb(new Map([['version', '8.4.3']]))]).toEqual([true, false])
  })
})
