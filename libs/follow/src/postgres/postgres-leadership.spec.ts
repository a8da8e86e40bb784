import { type ClientAnswers, postgresClient } from '../../../../test/support/answering-client.js'
import { answeringPostgres, stopAnswering } from '../../../../test/support/answering-server.js'
import { type AdvisoryLock, applicationOf, askRow } from './advisory-lock.js'
import { databaseIdOf } from './database-id.js'
import { untilCreated } from './inspect-server.js'
import { PostgresLeadership, type PostgresLogOptions } from './postgres-leadership.js'
import { ReplicationSlot } from './replication-slot.js'
import { literal, quoted, tableName } from './sql.js'
import type { StandbyPrimary } from './standby-primary.js'

/** The lock of a database that answers. */
function lockOf(answers: ClientAnswers) {
  const { asked, client } = postgresClient(answers)
  const run = (work: (one: typeof client) => unknown) => work(client)
  const lost = Promise.withResolvers<Error>()
  const lock = {
    run,
    ask: run,
    isInUse: false,
    isReleased: false,
    lost: lost.promise,
    release: async () => void (lock.isReleased = true),
  }
  return { asked, client, lock, locked: lock as unknown as AdvisoryLock, lost }
}

function newLeadership(answers: ClientAnswers, change: Partial<PostgresLogOptions> = {}) {
  const { asked, lock, locked, lost } = lockOf(answers)
  const options: PostgresLogOptions = {
    url: 'postgres://db.example/shop',
    slot: undefined,
    publication: 'shop',
    replica: undefined,
    primary: undefined,
    ...change,
  }
  const leadership = new PostgresLeadership(
    options,
    new ReplicationSlot(undefined),
    locked,
    'mc:1',
    'postgresql/1/shop',
  )
  return { asked, leadership, lock, lost }
}

afterEach(stopAnswering)

describe('the leadership of a database of PostgreSQL', () => {
  it('knows where the log ends, unless its connection is busy', async () => {
    const { asked, leadership, lock } = newLeadership([
      ['AS end, pg_is_in_recovery', [{ end: '1/40', isStandby: false }]],
    ])
    expect(await leadership.end()).toBe(0x1_0000_0040n)
    lock.isInUse = true
    expect([await leadership.end(), asked.length]).toEqual([undefined, 1])
    expect([leadership.isStandby, leadership.behind(0n), leadership.bytesBetween(30n, 50n)]).toEqual([
      false,
      undefined,
      20,
    ])
  })

  it.each([
    ['100:100:', 100n, [99], [100, 101]],
    ['98:103:98,101', 98n, [97, 99, 100, 102], [98, 101, 103, 200]],
    // The log has the lower 32 bits of a number.
    ['4294967295:4294967298:4294967297', 4_294_967_295n, [4_294_967_295, 0, 4_294_967_294], [1, 2, 3]],
    ['', 0n, [], [0, 1]],
  ])('knows which transactions readers do not see: %s', async (snapshot, oldest, seen, running) => {
    const { leadership } = newLeadership([['pg_current_snapshot()::text AS snapshot', [{ snapshot }]]])
    const found = await leadership.transactions()
    expect([found.oldest, seen.filter(found.has), running.filter(found.has)]).toEqual([oldest, [], running])
  })

  it('knows the number of the next transaction', async () => {
    const { leadership } = newLeadership([['pg_snapshot_xmax', [{ id: '4294967300' }]]])
    expect(await leadership.newTransaction()).toBe(4_294_967_300n)
  })

  it('is lost with its lock, and released', async () => {
    const { leadership, lock, lost } = newLeadership([])
    const reason = new Error('lost')
    lost.resolve(reason)
    expect([await leadership.lost, leadership.database]).toEqual([reason, 'postgresql/1/shop'])
    // It has no replica to wait for.
    await leadership.replicaHas(10n)
    await leadership.resign()
    expect(lock.isReleased).toBe(true)
  })
})

describe('the id of a database', () => {
  it.each([
    ['42501', undefined],
    ['57014', 'model-cache: cannot ask which database it is: refused.'],
    ['08042', 'model-cache: cannot ask which database it is: refused.'],
  ])('is unknown if the role may not ask for it: %s', async (code, message) => {
    const { client } = lockOf([['pg_control_system', Object.assign(new Error('refused'), { code })]])
    const asking = databaseIdOf(client)
    if (message === undefined) expect(await asking).toBeUndefined()
    else await expect(asking).rejects.toMatchObject({ code: 'E_FOLLOW', message })
  })
})

describe('a server of PostgreSQL', () => {
  it('creates the slot of a standby with snapshots of its primary', async () => {
    const creating = Promise.withResolvers<bigint>()
    const asked: unknown[] = []
    const primary: Partial<StandbyPrimary> = {
      writeSnapshots: async (awaited) => {
        asked.push(awaited)
        creating.resolve(7n)
        await awaited
      },
    }
    expect(await untilCreated(creating.promise, primary as StandbyPrimary, () => {})).toBe(7n)
    expect(asked).toEqual([creating.promise])
    const failing: Partial<StandbyPrimary> = { writeSnapshots: () => Promise.reject(new Error('denied')) }
    await expect(untilCreated(new Promise(() => {}), failing as StandbyPrimary, () => {})).rejects.toThrow(
      'denied',
    )
  })
})

describe('SQL', () => {
  it('has names and texts in quotes', async () => {
    expect([quoted('a"b'), literal("a'b"), tableName({ schema: 'public', name: 'a"b' })]).toEqual([
      '"a""b"',
      "'a''b'",
      '"public"."a""b"',
    ])
    const { locked } = lockOf([['SELECT 1 AS one', [{ one: 1 }, { one: 2 }]]])
    expect(await askRow(locked, 'SELECT 1 AS one')).toEqual({ one: 1 })
    expect(applicationOf('mc:1')).toMatch(/^model-cache follower [0-9a-f]{16}$/)
  })

  it('opens no connection to a replica once it has resigned', async () => {
    const server = await answeringPostgres([['pg_last_wal_replay_lsn', [{ has: true }]]])
    const { leadership } = newLeadership([], {
      replica: { url: `postgres://a:b@127.0.0.1:${server.port}/shop` },
    })
    await leadership.resign()
    const outcome = await leadership.replicaHas(10n).catch((error: Error) => error.message)
    expect([outcome, server.open()]).toEqual(['model-cache: it was stopped.', 0])
  })
})
