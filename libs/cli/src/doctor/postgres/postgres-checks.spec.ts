import type pg from 'pg'
import { postgresClient } from '../../../../../test/support/answering-client.js'
import { findingLines } from '../../../../../test/support/answering-node.js'
import { checkRole } from './check-role.js'
import { checkSlots } from './check-slots.js'
import { checkStandby } from './check-standby.js'
import { postgresChecks } from './postgres-checks.js'

/** A server that answers each statement with these rows. */
const answering = (...rows: readonly object[]): pg.Client =>
  ({ query: async () => ({ rows }) }) as unknown as pg.Client

describe('postgresChecks', () => {
  const found = async (url: string | undefined) => {
    const [check] = postgresChecks({
      url,
      namespace: 'shop',
      isFollowed: false,
      slot: undefined,
      publication: undefined,
      fenceMs: 10_000,
      listed: Promise.resolve({ epoch: undefined, caches: [] }),
    })
    return check!.run()
  }

  it.each([
    [undefined, 'note postgres.url: PostgreSQL was not checked: there is no URL.'],
    ['', 'note postgres.url: PostgreSQL was not checked: there is no URL.'],
    ['file:./dev.db', 'note postgres.url: The database was not checked: its URL is not one of'],
    [
      'jdbc:postgres://127.0.0.1:1/shop',
      'note postgres.url: The database was not checked: its URL is not one of',
    ],
    ['postgres://127.0.0.1:1/shop', 'error postgres.reachable: PostgreSQL cannot be checked: '],
    ['postgresql://127.0.0.1:1/shop', 'error postgres.reachable: PostgreSQL cannot be checked: '],
  ])('of the URL %s', async (url, expected) => {
    expect(findingLines(await found(url))).toEqual([expect.stringContaining(expected)])
  })

  it('says of another database which ones can be followed', async () => {
    expect(await found('file:./dev.db')).toEqual([
      expect.objectContaining({
        meaning: expect.stringContaining('can be followed of PostgreSQL, MariaDB and MySQL alone'),
      }),
    ])
  })
})

describe('checkRole', () => {
  it.each([
    [{ may: true, used: 9, senders: 10 }, ['ok postgres.role: The role app may replicate.']],
    [
      { may: false, used: 10, senders: 10 },
      [
        'error postgres.role: The role app may not replicate. → Run as an administrator: ALTER ROLE "app" REPLICATION; ' +
          'on Amazon RDS: GRANT rds_replication TO "app";',
        'error postgres.senders: All 10 WAL senders are in use. → ALTER SYSTEM SET max_wal_senders = 15; and restart PostgreSQL.',
      ],
    ],
  ])('of %j', async (row, expected) => {
    expect(findingLines(await checkRole(answering({ role: 'app', ...row }), 'unfollowed'))).toEqual(expected)
  })

  it('does not count the sender of a follower that runs', async () => {
    const { asked, client } = postgresClient([['', [{ role: 'app', may: true, used: 0, senders: 1 }]]])
    await checkRole(client, 'unfollowed', 'follower')
    const counted = 'FROM pg_stat_replication WHERE application_name IS DISTINCT FROM $1'
    expect(asked).toEqual([[expect.stringContaining(counted), ['follower']]])
  })
})

describe('checkSlots', () => {
  const slot = {
    name: 'old',
    status: 'reserved',
    limit: '10GB',
    bytes: String(2 ** 30 - 1),
    isInConflict: false,
  }
  const unread = 'warning postgres.slot-retention: Nobody reads the replication slot old, which keeps'
  const drop = "If it is given up: SELECT pg_drop_replication_slot('old'); otherwise start its reader."
  it.each([
    ['little', {}, []],
    ['much', { bytes: String(2 ** 30) }, [`${unread} 1024 MiB of WAL; its status is reserved. → ${drop}`]],
    [
      'little, and beyond the reserve',
      { status: 'extended', bytes: '1048576' },
      [`${unread} 1 MiB of WAL; its status is extended. → ${drop}`],
    ],
    [
      'nothing any more',
      { status: 'lost', bytes: null },
      [`${unread} 0 MiB of WAL; its status is lost. → ${drop}`],
    ],
    [
      'little, without a limit',
      { limit: '-1', bytes: '1048576' },
      [
        `${unread} 1 MiB of WAL and has no limit. → ${drop} Set a limit: ` +
          "ALTER SYSTEM SET max_slot_wal_keep_size = '10GB'; SELECT pg_reload_conf();",
      ],
    ],
    [
      'what the primary has removed',
      { isInConflict: true },
      [
        expect.stringContaining(
          'warning postgres.slot-conflict: The standby has given up the replication slot old:',
        ),
      ],
    ],
  ])('of a slot that keeps %s', async (_, changed, expected) => {
    expect(findingLines(await checkSlots(answering({ ...slot, ...changed })))).toEqual(expected)
  })
})

describe('checkStandby', () => {
  it.each([
    [{ isStandby: false, givesFeedback: false, slot: '' }, []],
    [
      { isStandby: true, givesFeedback: false, slot: 'standby' },
      [
        expect.stringContaining(
          'warning postgres.standby-feedback: hot_standby_feedback of the standby is off. →',
        ),
      ],
    ],
    [
      { isStandby: true, givesFeedback: true, slot: '' },
      [expect.stringContaining('warning postgres.standby-feedback: The standby has no slot on its primary,')],
    ],
    [
      { isStandby: true, givesFeedback: true, slot: 'standby' },
      ['ok postgres.standby-feedback: The primary keeps what the slot of the standby needs.'],
    ],
  ])('of %j', async (row, expected) => {
    expect(findingLines(await checkStandby(answering(row)))).toEqual(expected)
  })
})
