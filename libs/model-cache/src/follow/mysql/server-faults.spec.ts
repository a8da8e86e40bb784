import { settingFaults } from './server-faults.js'

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
    ['MariaDB', { log_bin: 'OFF' }, 'Set log_bin and server_id in its configuration, and restart it.'],
    ['MySQL', { read_only: 'ON' }, 'Give that of the primary.'],
    ['MariaDB', { wsrep_on: 'ON', log_slave_updates: 'OFF' }, 'Set log_slave_updates = ON'],
  ])('are refused on %s: %j', (server, changed, remedy) => {
    const faults = faultsOf(server, changed)
    expect(faults).toEqual([expect.stringContaining(remedy)])
  })
})
