import { postgresClient } from '../../../../test/support/answering-client.js'
import { serverFaults } from './server-faults.js'

const server = {
  level: 'logical',
  slots: 10,
  used: 9,
  version: 160_000,
  isReplica: true,
  pid: 7,
  isNeon: false,
  standbys: '',
}

async function faultsOf(change: object, processID: number | null = 7, host = 'db.internal') {
  const { asked, client } = postgresClient([['max_replication_slots', [{ ...server, ...change }]]])
  Object.assign(client, { host, processID })
  const faults = await serverFaults(client, 'shop', 'follower')
  expect(asked).toEqual([[expect.stringContaining('a.application_name = $2'), ['shop', 'follower']]])
  return faults.map(({ kind, problem, remedy }) => `${kind}: ${problem} ${remedy}`)
}

describe('a server', () => {
  it.each([
    [{}],
    [{ isReplica: false, version: 140_000 }],
    [{ used: 0, slots: 1 }],
    [{ isReplica: false, standbys: 'FIRST 1 (s1, "s*")' }],
    [{ standbys: '*' }],
  ])('lets changes be followed: %j', async (change) => {
    expect(await faultsOf(change)).toEqual([])
  })

  it('lets changes be followed if it does not say the number of its process', async () => {
    expect(await faultsOf({}, null)).toEqual([])
  })

  it.each([
    ['ep-tea-123.eu-central-1.aws.neon.tech', true, []],
    ['ep-tea-123-pooler.eu-central-1.aws.neon.tech', true, ['pooler']],
    ['ep-tea-123.eu-central-1.aws.neon.tech', false, ['pooler']],
    ['EP-tea-123.eu-central-1.aws.Neon.tech', true, []],
    ['pgbouncer.internal', true, ['pooler']],
    ['neon.tech.internal', true, ['pooler']],
  ])('behind the proxy of Neon, which numbers connections: %s, %p', async (host, isNeon, kinds) => {
    const faults = await faultsOf({ pid: 8, isNeon }, 7, host)
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(kinds)
  })

  const logical =
    "Run: ALTER SYSTEM SET wal_level = 'logical'; and restart PostgreSQL. Managed services have an option for it."
  it.each<[object, string]>([
    [
      { pid: 8 },
      'pooler: The URL leads to a pooler, which shares sessions. Give the address of PostgreSQL itself.',
    ],
    [
      { isReplica: false, version: 139_999 },
      'version: PostgreSQL 139999 is older than 14, whose log lacks what is needed. Upgrade it.',
    ],
    [
      { version: 159_999 },
      'replica: The URL leads to a standby, and PostgreSQL sends changes from a standby since version 16 only. Give the URL of the primary, and the standby as `replica`; or upgrade both.',
    ],
    [{ level: 'replica', isReplica: false }, `wal-level: wal_level is 'replica'. ${logical}`],
    [{ level: 'replica' }, `wal-level: wal_level is 'replica'. ${logical} The primary needs it as well.`],
    ...['*', '"*"', 'ANY 1 (s1,*)', '2 (s1, * )'].map((standbys): [object, string] => [
      { isReplica: false, standbys },
      `standby-names: synchronous_standby_names is '${standbys}', which takes the follower for a standby: a COMMIT may wait for it forever, ` +
        'because it waits until readers see the COMMIT. Name the standbys: ALTER SYSTEM SET synchronous_standby_names = ' +
        "'FIRST 1 (…)'; SELECT pg_reload_conf();",
    ]),
    [
      { used: 10 },
      'slots: All 10 replication slots are in use. Drop one that nobody reads, or raise max_replication_slots.',
    ],
  ])('does not let changes be followed: %j', async (change, fault) => {
    expect(await faultsOf(change)).toEqual([fault])
  })
})
