import { jest } from '@jest/globals'
import {
  type ServerAnswers,
  answeringPostgres,
  stopAnswering,
} from '../../../../test/support/answering-server.js'
import { eventually, turns } from '../../../../test/support/eventually.js'
import { followedTable } from '../../../../test/support/scripted-log.js'
import type { FollowProblem, OpenLogOptions } from '../database-log.js'
import type { PostgresLeadership, PostgresLogOptions } from './postgres-leadership.js'
import { PostgresLog } from './postgres-log.js'

const leaderships: PostgresLeadership[] = []
const ending: AbortController[] = []
afterEach(async () => {
  jest.useRealTimers()
  for (const over of ending.splice(0)) over.abort()
  for (const leadership of leaderships.splice(0)) await leadership.resign()
  await stopAnswering()
})

const lots = followedTable('lots', 'id')

/** A sign of life behind 30. */
const keepalive = Buffer.concat([Buffer.from('k'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x30]), Buffer.alloc(9)])

interface Change {
  readonly answers?: ServerAnswers
  readonly options?: Partial<PostgresLogOptions>
  readonly isStandby?: boolean
}

/** A server whose log ends at 40, and the right to follow it. */
async function lead({ answers = [], isStandby = false, options = {} }: Change = {}) {
  const server = await answeringPostgres([
    ...answers,
    ['pg_try_advisory_lock', [{ held: true }]],
    ['pg_control_system', [{ system: '7', name: 'shop', branch: '' }]],
    [
      'max_replication_slots',
      [{ level: 'logical', slots: 10, version: 170_000, isReplica: isStandby, pid: 7, used: 0 }],
    ],
    ['hot_standby_feedback', [{ isStandby, givesFeedback: false, run: 'abc' }]],
    ['CREATE_REPLICATION_SLOT', [{ consistent_point: '0/30' }]],
    ['json_object_agg', [{ versions: null }]],
    ['IDENTIFY_SYSTEM', [{ systemid: '77', timeline: 2 }]],
    ['AS end, pg_is_in_recovery', [{ end: '0/50', isStandby }]],
    ['AS end', [{ end: '0/40' }]],
    ['puballtables', [{ all: true, root: true, changes: true }]],
    ['pg_last_wal_replay_lsn', [{ has: true }]],
  ])
  const url = `postgres://app:secret@127.0.0.1:${server.port}/shop`
  const log = new PostgresLog({
    url,
    slot: undefined,
    publication: 'shop_publication',
    replica: undefined,
    primary: undefined,
    ...options,
  })
  const leadership = await log.elect('mc:1', new AbortController().signal)
  leaderships.push(leadership)
  const over = new AbortController()
  ending.push(over)
  const problems: FollowProblem[] = []
  const alive: bigint[] = []
  const openOptions: OpenLogOptions = {
    tables: [lots],
    columnsOf: () => new Set(['id']),
    listener: { onChange() {}, onCommit() {}, onAlive: (position) => void alive.push(position) },
    onProblems: (some) => void problems.push(...some),
    noteOf: async () => undefined,
    signal: over.signal,
  }
  return { alive, leadership, open: () => leadership.open(openOptions), over, server }
}

const slotOf = (change: object = {}): ServerAnswers => [
  [
    'FROM pg_replication_slots s',
    [
      {
        pid: null,
        application: null,
        database: 'shop',
        plugin: 'pgoutput',
        status: 'reserved',
        isOfDatabase: true,
        confirmed: '0/20',
        isInConflict: false,
        loss: null,
        ...change,
      },
    ],
  ],
]

describe('the log of a leader', () => {
  it('begins with a temporary slot', async () => {
    const { alive, leadership, open, server } = await lead()
    const log = await open()
    expect(log).toMatchObject({ isNew: true, durable: undefined, resumesAt: 0x30n, end: 0x40n })
    expect(log.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('There is no table "public"."lots"'),
    ])
    expect(server.connected[1]).toMatchObject({ replication: 'database' })
    const start = server.asked.findIndex((sql) => sql.startsWith('START_REPLICATION'))
    expect(server.asked[start]).toMatch(
      /^START_REPLICATION SLOT "model_cache_[0-9a-f]{16}" LOGICAL 0\/0 \(proto_version '1', publication_names '"shop_publication"'\)$/,
    )
    const before = server.asked.slice(0, start).join('\n')
    for (const sql of [
      "SET datestyle = 'ISO, YMD'",
      "SET timezone = 'UTC'",
      "SET bytea_output = 'hex'",
      "SET lc_monetary = 'C'",
      'SET extra_float_digits = 1',
      "SET wal_sender_timeout = '10s'",
      'pg_logical_emit_message',
    ])
      expect(before).toContain(sql)
    expect([await leadership.end(), leadership.isStandby, leadership.behind(0n)]).toEqual([
      0x50n,
      false,
      undefined,
    ])
    let isLost = false
    void leadership.lost.then(() => (isLost = true))
    server.send(keepalive)
    await eventually(() => alive.length > 0)
    expect([alive, isLost]).toEqual([[0x30n], false])
    await log.close()
    await eventually(() => server.open() === 1)
  })

  it('begins again with a durable slot whose changes PostgreSQL cannot decode', async () => {
    const refusal = Object.assign(new Error('no publication'), { code: '42704' })
    let isRefused = true
    const { open } = await lead({
      answers: [...slotOf(), ['START_REPLICATION', () => (isRefused ? refusal : [])]],
      options: { slot: 'shop' },
    })
    await expect(open()).rejects.toThrow('no publication')
    isRefused = false
    expect(await open()).toMatchObject({ isNew: true, resumesAt: 0x30n })
  })

  it('is not opened if the server refuses it, and its connection ends', async () => {
    const { open, server } = await lead({ answers: [['IDENTIFY_SYSTEM', new Error('denied')]] })
    await expect(open()).rejects.toMatchObject({ code: 'E_FOLLOW', message: 'model-cache: denied.' })
    await eventually(() => server.open() === 1)
  })

  it.each(['SET timezone', 'IDENTIFY_SYSTEM', 'START_REPLICATION'])(
    'is not opened if the server says nothing by its connection: %s',
    async (sql) => {
      const { open, server } = await lead({ answers: [[sql, 'silence']] })
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] })
      const opening = open()
      opening.catch(() => {})
      while (!server.asked.some((one) => one.startsWith(sql))) await turns(1)
      jest.advanceTimersByTime(5_000)
      await expect(opening).rejects.toMatchObject({
        code: 'E_FOLLOW',
        message: 'model-cache: no answer within 5000 ms.',
      })
      jest.useRealTimers()
      await eventually(() => server.open() === 1)
    },
  )

  it('is not opened once the session has ended', async () => {
    const { open, over, server } = await lead({ answers: [['CREATE_REPLICATION_SLOT', 'silence']] })
    const opening = open()
    opening.catch(() => {})
    await eventually(() => server.asked.some((sql) => sql.startsWith('CREATE_REPLICATION_SLOT')))
    over.abort()
    await expect(opening).rejects.toMatchObject({ code: 'E_FOLLOW' })
    await eventually(() => server.open() === 1)
    await expect(open()).rejects.toMatchObject({ code: 'E_FOLLOW' })
    await eventually(() => server.open() === 1)
  })

  it('stays open when the session ends later, which closes it', async () => {
    const { alive, leadership, open, over, server } = await lead({
      answers: [['pg_snapshot_xmax', [{ id: '100' }]]],
    })
    const log = await open()
    over.abort()
    // An answer on the other connection takes as long as an end of this one.
    await leadership.newTransaction()
    server.send(keepalive)
    await eventually(() => alive.length > 0)
    await log.close()
  })
})

describe('the log of a standby whose primary is unknown', () => {
  it('is as far behind as nobody knows', async () => {
    const { leadership, open } = await lead({ isStandby: true })
    await open()
    expect([await leadership.end(), leadership.isStandby, leadership.behind(0n)]).toEqual([
      0x50n,
      true,
      undefined,
    ])
  })
})

describe('the replica of a leader', () => {
  it('has a position once it has replayed it, and is asked by one connection', async () => {
    const has = [false, true, true]
    let isRefused = false
    const replica = await answeringPostgres([
      ['pg_last_wal_replay_lsn', () => (isRefused ? new Error('denied') : [{ has: has.shift() ?? true }])],
    ])
    const { leadership } = await lead({
      options: { replica: { url: `postgres://app@127.0.0.1:${replica.port}/shop` } },
    })
    expect(leadership.hasReplica).toBe(true)
    await leadership.replicaHas(0x60n)
    await leadership.replicaHas(0x70n)
    expect(replica.asked.map((sql) => /'([^']*)'::pg_lsn/.exec(sql)![1])).toEqual(['0/60', '0/60', '0/70'])
    expect(replica.connected.length).toBe(1)
    isRefused = true
    await expect(leadership.replicaHas(0x80n)).rejects.toThrow('denied')
    await eventually(() => replica.open() === 0)
    isRefused = false
    await leadership.replicaHas(0x80n)
    expect(replica.connected.length).toBe(2)
    await leadership.resign()
    await eventually(() => replica.open() === 0)
  })
})
