import { tableKey } from 'model-cache/internal'
import {
  type ServerAnswer,
  type ServerAnswers,
  answeringMysql,
  stopAnswering,
} from '../../../../test/support/answering-server.js'
import { eventually } from '../../../../test/support/eventually.js'
import { followedTable } from '../../../../test/support/scripted-log.js'
import type { LogNote, OpenLogOptions } from '../database-log.js'
import { placeText, positionOf } from './log-position.js'
import type { MysqlLeadership } from './mysql-leadership.js'
import { MysqlLog } from './mysql-log.js'

const leaderships: MysqlLeadership[] = []
const ending: AbortController[] = []
afterEach(async () => {
  for (const over of ending.splice(0)) over.abort()
  for (const leadership of leaderships.splice(0)) await leadership.resign()
  await stopAnswering()
})

const uint = (value: number, size: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes.subarray(0, size)
}
/** An event of server 7 that ends at an offset, and is as long as it says. */
const event = (type: number, end: number, ...body: readonly (string | Buffer)[]): Buffer => {
  const bytes = Buffer.concat(body.map((part) => Buffer.from(part as string)))
  const head = [
    uint(1_000, 4),
    uint(type, 1),
    uint(7, 4),
    uint(19 + bytes.length, 4),
    uint(end, 4),
    uint(0, 2),
  ]
  return Buffer.concat([...head, bytes])
}
const file = 'binlog.000002'
const rotate = event(4, 0, uint(400, 8), file)
/** A transaction of MariaDB, with a statement that may change any row. */
const begin = (number: number, end: number): Buffer =>
  event(162, end, uint(number, 8), uint(0, 4), uint(0, 1))
const statement = (text: string, end: number): Buffer =>
  event(2, end, Buffer.alloc(8), uint(4, 1), uint(0, 2), uint(0, 2), 'shop\0', text)
const commit = (end: number): Buffer => event(16, end, uint(1, 8))
const text = (value: string): number[] => [Buffer.byteLength(value), ...Buffer.from(value)]
/** The description of a table with an id of letters. */
const describeTable = (name: string, end: number): Buffer =>
  event(
    19,
    end,
    uint(name.length, 6),
    uint(0, 2),
    Buffer.from([...text('shop'), 0, ...text(name), 0, 1, 15, 2, 20, 0, 0, 2, 1, 45, 4, 3, ...text('id')]),
  )
/** A row of it that is inserted (23) or deleted (25). */
const change = (type: 23 | 25, name: string, end: number): Buffer =>
  event(type, end, uint(name.length, 6), uint(0, 2), Buffer.from([1, 1, 0, ...text('é')]))
const description = (end: number, startedAt: number): Buffer =>
  Buffer.concat([event(15, end, Buffer.alloc(52), uint(startedAt, 4), uint(0, 1)), Buffer.alloc(4)])
const at = (offset: number): bigint => positionOf({ file, offset })

const lots = followedTable('lots', 'id')
const settings = {
  log_bin: 'ON',
  server_id: '1',
  read_only: 'OFF',
  binlog_format: 'ROW',
  binlog_row_image: 'FULL',
  binlog_row_metadata: 'FULL',
  binlog_checksum: 'NONE',
  max_binlog_size: '1000',
}
const ofMariadb = { ...settings, version: '10.11.14-MariaDB', log_bin_compress: 'OFF' }
const ofMysql = {
  ...settings,
  version: '8.4.3',
  gtid_mode: 'ON',
  binlog_transaction_compression: 'OFF',
  binlog_row_value_options: '',
}

interface Change {
  readonly variables?: Readonly<Record<string, string>>
  readonly answers?: ServerAnswers
  readonly note?: LogNote
}

/** A server whose log ends at 400, and the right to follow it. */
async function lead({ answers = [], note, variables = ofMariadb }: Change = {}) {
  const end = { offset: 400, state: '0-7-1', file, at: '5000000' }
  const logged = () => ({ at: end.at, state: end.state })
  const tables = [{ schema: 'shop', name: 'lots', kind: 'BASE TABLE' }]
  const server = await answeringMysql([
    ...answers,
    ['GET_LOCK', [{ held: 1 }]],
    [
      'SHOW GLOBAL VARIABLES',
      Object.entries(variables).map(([name, value]) => ({ Variable_name: name, Value: value })),
    ],
    ['_prisma_migrations', [{ id: 'first', name: 'shop' }]],
    ['COLLATION', [{ id: 45, charset: 'utf8mb4' }]],
    ['information_schema.TABLES', () => [...tables]],
    [
      'WITH CONSISTENT SNAPSHOT',
      () => [
        [logged()],
        [],
        [
          { Variable_name: 'Binlog_snapshot_file', Value: end.file },
          { Variable_name: 'Binlog_snapshot_position', Value: String(end.offset) },
        ],
        [],
      ],
    ],
    ['gtid_binlog_state', () => [logged()]],
    [
      'SYSDATE(6)) AS at; SHOW',
      () => [[{ at: '5000000' }], [{ File: end.file, Position: String(end.offset), Executed_Gtid_Set: '' }]],
    ],
  ])
  const { signal } = new AbortController()
  const url = `mysql://app:secret@127.0.0.1:${server.port}/shop`
  const leadership = await new MysqlLog({ url }).elect('mc:1', signal)
  leaderships.push(leadership)
  const said: string[] = []
  const durables: string[] = []
  const over = new AbortController()
  ending.push(over)
  const options: OpenLogOptions = {
    tables: [lots],
    columnsOf: () => new Set(['id']),
    listener: {
      onChange: (one, { committedAtMs }) =>
        void said.push(`${one.kind} ${one.kind === 'insert' ? one.row.get('id') : committedAtMs}`),
      onCommit: (position) => void said.push(`commit ${position - at(0)}`),
      onAlive: (position) => void said.push(`alive ${position - at(0)}`),
    },
    onProblems() {},
    noteOf: async (durable) => {
      durables.push(durable)
      return note
    },
    signal: over.signal,
  }
  /** Opens the log, whose first events are these. */
  const open = async (...events: readonly Buffer[]) => {
    const reads = server.asked.filter((sql) => sql.startsWith('COM')).length
    const opening = leadership.open(options)
    opening.catch(() => {})
    const isRead = (): boolean => server.asked.filter((sql) => sql.startsWith('COM')).length > reads
    let isOver = false
    void opening.then(
      () => (isOver = true),
      () => (isOver = true),
    )
    await eventually(() => isOver || isRead())
    for (const one of events) server.send(one)
    return opening
  }
  /** The server notices the end of a connection that reads its log when it sends something. */
  const closes = (count: number) =>
    eventually(() => {
      server.send(event(27, 0))
      return server.open() === count
    })
  const reads = (): string[] => server.asked.filter((sql) => sql.startsWith('COM'))
  return { closes, durables, end, leadership, open, options, over, reads, said, server, tables }
}

describe('the election of a follower of MySQL', () => {
  it.each<[string, ServerAnswer, string | undefined]>([
    ['with migrations', [{ id: 'first', name: 'shop' }], 'migrated/first/shop'],
    ['without any', [], undefined],
    ['that the user may not read', Object.assign(new Error('denied'), { errno: 1_142 }), undefined],
  ])('knows the database %s', async (_, answer, database) => {
    const { leadership } = await lead({ answers: [['_prisma_migrations', answer]] })
    expect(leadership.database).toBe(database)
  })

  it('fails if the connection is lost meanwhile', async () => {
    const losing = () => {
      void stopAnswering()
      return 'silence' as const
    }
    await expect(lead({ answers: [['_prisma_migrations', losing]] })).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: expect.stringMatching(/cannot ask which database it is: Connection lost/) as string,
    })
  })

  it('is lost with its connection, and given back', async () => {
    const { leadership, server } = await lead()
    expect(leadership.hasReplica).toBe(false)
    await leadership.resign()
    await eventually(() => server.open() === 0)
    const other = await lead()
    await stopAnswering()
    expect((await other.leadership.lost).message).toMatch(/lost the connection that holds the lock/)
  })

  it('fails if the server does not say its variables, and gives the lock back', async () => {
    const server = await answeringMysql([
      ['GET_LOCK', [{ held: 1 }]],
      ['SHOW GLOBAL VARIABLES', new Error('denied')],
    ])
    const log = new MysqlLog({ url: `mysql://app@127.0.0.1:${server.port}/shop` })
    expect(log.name).toBe(`127.0.0.1:${server.port}/shop`)
    await expect(log.elect('mc:1', new AbortController().signal)).rejects.toThrow('denied')
    await eventually(() => server.open() === 0)
    expect(await log.depose('mc:1', 3_000)).toBeUndefined()
    expect(server.asked.at(-1)).toContain('IS_USED_LOCK')
  })
})

describe('the log of a leader', () => {
  it('begins at its end', async () => {
    const { durables, leadership, open, reads, said, server } = await lead()
    expect(await leadership.end()).toBeUndefined()
    const log = await open(rotate)
    expect(log).toMatchObject({ isNew: true, durable: 'mysql:shop', resumesAt: at(400), end: at(400) })
    expect([log.problems, log.placeOf(at(400)), [...log.versions.values()]]).toEqual([[], '', ['BASE TABLE']])
    expect([durables, reads()]).toEqual([['mysql:shop'], [`COM_BINLOG_DUMP ${file} 400`]])
    for (const one of [begin(2, 440), statement('LOAD DATA', 480), commit(500)]) server.send(one)
    await eventually(() => said.length > 1)
    // The last view of the log without the transaction is of that moment.
    expect(said).toEqual(['truncate 5000000', 'commit 500'])
    expect([await leadership.end(), leadership.bytesBetween(at(400), at(450) + (2n << 40n))]).toEqual([
      at(400),
      2_050,
    ])
  })

  it('goes on behind a transaction that is where it was', async () => {
    const first = begin(1, 340)
    const note = { position: at(390), place: placeText({ file, offset: 302 }, first, '1') }
    const { open, reads, said, server } = await lead({ note })
    // The description of a file says again that the server was started.
    const log = await open(rotate, description(0, 1_000), first, statement('LOAD DATA', 370), commit(390))
    expect(log).toMatchObject({ isNew: false, resumesAt: at(390), end: at(400), problems: [] })
    expect([log.placeOf(at(300)), reads()]).toEqual([note.place, [`COM_BINLOG_DUMP ${file} 302`]])
    await eventually(() => said.length > 1)
    expect(said).toEqual([expect.stringContaining('truncate'), 'commit 390'])
    server.send(begin(2, 440))
    server.send(commit(500))
    await eventually(() => {
      log.ask()
      server.send(event(27, 510))
      return said.includes('alive 510')
    })
  })

  const lost = {
    table: '',
    isFollowed: true,
    message: expect.stringMatching(/^The binlog is not the one/) as string,
  }

  it('begins at its end if there is another transaction where it was', async () => {
    const note = { position: at(390), place: placeText({ file, offset: 302 }, begin(1, 340), '1') }
    const { closes, open, reads, said, server } = await lead({ note })
    const opening = open(rotate, begin(9, 340), statement('LOAD DATA', 370), commit(390))
    await eventually(() => reads().length > 1)
    server.send(rotate)
    const log = await opening
    expect(log).toMatchObject({ isNew: true, resumesAt: at(400), problems: [lost] })
    expect([log.placeOf(at(400)), reads()[1], said]).toEqual(['', `COM_BINLOG_DUMP ${file} 400`, []])
    // The connection that has read the other one is cut.
    await closes(2)
  })

  it('begins at its end if there is an event that cannot be read where it was', async () => {
    const note = { position: at(390), place: placeText({ file, offset: 302 }, begin(1, 340), '1') }
    const { open, reads, server } = await lead({ note })
    const opening = open(rotate, event(23, 340, 'x'))
    await eventually(() => reads().length > 1)
    server.send(rotate)
    expect(await opening).toMatchObject({ isNew: true, resumesAt: at(400), problems: [lost] })
  })

  it('begins at its end if another server has the same transaction where it was', async () => {
    const first = begin(1, 340)
    const note = { position: at(390), place: placeText({ file, offset: 302 }, first, '2') }
    const { open, reads } = await lead({ note })
    const log = await open(rotate, first)
    expect(log).toMatchObject({ isNew: true, resumesAt: at(400), problems: [lost] })
    expect(reads()).toEqual([`COM_BINLOG_DUMP ${file} 400`])
  })

  it('begins at its end after an event that cannot be read, where it would end again', async () => {
    const first = begin(1, 340)
    const note = { position: at(390), place: placeText({ file, offset: 302 }, first, '1') }
    const { open, reads } = await lead({ note })
    const log = await open(rotate, first, event(23, 370, 'x'))
    expect((await log.ended).message).toMatch(/^model-cache: cannot read the binlog: /)
    const opening = open(rotate)
    opening.catch(() => {})
    await eventually(() => reads().length > 1)
    expect(reads()[1]).toBe(`COM_BINLOG_DUMP ${file} 400`)
    const unreadable = { ...lost, message: expect.stringMatching(/^The binlog has an event that/) as string }
    const again = await opening
    expect(again).toMatchObject({ isNew: true, resumesAt: at(400), problems: [unreadable] })
    // It is no reason to leave out anything once more.
    await again.close()
    const third = open(rotate, first)
    await eventually(() => reads().length > 2)
    expect(reads()[2]).toBe(`COM_BINLOG_DUMP ${file} 302`)
    expect(await third).toMatchObject({ isNew: false })
  })

  it('is not opened if the connection is lost before it is known what is there', async () => {
    const note = { position: at(390), place: placeText({ file, offset: 302 }, begin(1, 340), '1') }
    const { open, reads, server } = await lead({ note })
    const opening = open(rotate)
    opening.catch(() => {})
    await eventually(() => reads().length > 0)
    server.cut()
    await expect(opening).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: expect.stringMatching(/the replication stream/) as string,
    })
    expect(reads().length).toBe(1)
  })

  it('begins at its end if the server has purged it', async () => {
    const note = {
      position: at(390),
      place: placeText({ file: 'binlog.000001', offset: 302 }, begin(1, 340), '1'),
    }
    let isPurged = true
    const answers: ServerAnswers = [
      [
        'COM_BINLOG_DUMP',
        () => {
          const answer = isPurged ? Object.assign(new Error('no such log'), { errno: 1_236 }) : []
          isPurged = false
          return answer
        },
      ],
    ]
    const { open, reads, server } = await lead({ answers, note })
    const opening = open()
    await eventually(() => reads().length > 1)
    server.send(rotate)
    expect(await opening).toMatchObject({ isNew: true, problems: [lost] })
    await eventually(() => server.open() === 2)
  })

  it.each([
    ['no such log', 1_236],
    ['denied', 1_045],
  ])('is not opened if the server refuses its end: %s', async (message, errno) => {
    const { open, server } = await lead({
      answers: [['COM_BINLOG_DUMP', Object.assign(new Error(message), { errno })]],
    })
    await expect(open()).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: expect.stringContaining(message) as string,
    })
    await eventually(() => server.open() === 1)
  })

  it('is not opened if the server does not know what is asked of it', async () => {
    const { open, server } = await lead({ answers: [['@master_heartbeat_period', new Error('unknown')]] })
    await expect(open()).rejects.toThrow('unknown')
    await eventually(() => server.open() === 1)
  })

  it('is not opened of a server that does not let it be followed', async () => {
    const { open, server } = await lead({
      variables: { ...ofMariadb, binlog_format: 'MIXED', read_only: 'ON' },
    })
    await expect(open()).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message:
        `model-cache: 127.0.0.1:${server.port}/shop cannot be followed: The URL leads to a read replica: read_only is ON. Give that of ` +
        "the primary. binlog_format is MIXED. Run: SET GLOBAL binlog_format = 'ROW'; and set it in the configuration of the server.",
    })
  })

  it('is not opened if the server does not say what it has', async () => {
    const { open } = await lead({ answers: [['information_schema.TABLES', new Error('denied')]] })
    await expect(open()).rejects.toMatchObject({ code: 'E_FOLLOW', message: 'model-cache: denied.' })
  })

  it('is not opened once the session has ended', async () => {
    const { closes, leadership, options, over, reads } = await lead()
    const opening = leadership.open(options)
    opening.catch(() => {})
    await eventually(() => reads().length > 0)
    over.abort()
    await expect(opening).rejects.toMatchObject({ code: 'E_FOLLOW', message: 'model-cache: it was stopped.' })
    await closes(1)
  })

  it('is not opened if the session ends while it connects', async () => {
    const connected = { again: (): void => {} }
    const { closes, leadership, options, over, reads } = await lead({
      answers: [['SET time_zone', () => (connected.again(), [])]],
    })
    connected.again = () => over.abort()
    await expect(leadership.open(options)).rejects.toMatchObject({ code: 'E_FOLLOW' })
    await closes(1)
    expect(reads()).toEqual([])
  })

  it('is cut if the session ends while MySQL commits what the log has', async () => {
    const owned = '11111111-1111-1111-1111-111111111111:5#7'
    const { closes, open, over, server } = await lead({
      variables: ofMysql,
      answers: [['gtid_owned', [{ owned }]]],
    })
    const opening = open(rotate)
    opening.catch(() => {})
    await eventually(() => server.asked.some((sql) => sql.includes('gtid_owned')))
    over.abort()
    await expect(opening).rejects.toMatchObject({ code: 'E_FOLLOW' })
    await closes(1)
  })

  it('stays open when the session ends later, which closes it', async () => {
    const { closes, open, over, said, server } = await lead()
    const log = await open(rotate)
    over.abort()
    for (const one of [begin(2, 440), statement('LOAD DATA', 480), commit(500)]) server.send(one)
    await eventually(() => said.includes('commit 500'))
    await log.close()
    await closes(1)
  })

  it('shows texts by the character sets of the server', async () => {
    const { open, said, server } = await lead()
    await open(rotate)
    for (const one of [begin(2, 440), describeTable('lots', 450), change(23, 'lots', 480), commit(500)])
      server.send(one)
    await eventually(() => said.includes('commit 500'))
    expect(said).toEqual(['insert é', 'commit 500'])
  })

  it.each([
    ['0', 1],
    ['1', 2],
    ['2', 2],
  ])('has rows of tables that differ in case alone: lower_case_table_names = %s', async (value, count) => {
    const { open, said, server } = await lead({ variables: { ...ofMariadb, lower_case_table_names: value } })
    const log = await open(rotate)
    await log.follow([{ ...lots, name: 'Lots' }, lots])
    for (const one of [begin(2, 440), describeTable('lots', 450), change(23, 'lots', 480), commit(500)])
      server.send(one)
    await eventually(() => said.includes('commit 500'))
    expect(said.filter((one) => one === 'insert é')).toHaveLength(count)
  })

  it('is held up, and has the changes of tables that join it', async () => {
    const { open, said, server, tables } = await lead()
    const log = await open(rotate)
    tables.push({ schema: 'shop', name: 'bids', kind: 'BASE TABLE' })
    const [bids, views] = ['bids', 'views'].map((name) => ({ ...lots, name }))
    const problem = { table: tableKey(views!), isFollowed: false }
    expect(await log.follow([lots, bids!, views!])).toEqual([expect.objectContaining(problem)])
    expect([...log.versions.keys()]).toEqual([lots, bids!].map(tableKey))
    log.pause()
    for (const one of [begin(2, 440), describeTable('bids', 450), change(23, 'bids', 480), commit(500)])
      server.send(one)
    // An answer on the other connection takes as long.
    await log.follow([lots, bids!])
    expect(said).toEqual([])
    log.resume()
    await eventually(() => said.includes('commit 500'))
    expect(said).toEqual(['insert é', 'commit 500'])
  })

  const key = {
    schema: 'shop',
    name: 'lots',
    key: 'lots_seller',
    ofDelete: 'CASCADE',
    ofUpdate: 'RESTRICT',
    parentSchema: 'shop',
    parentName: 'sellers',
    referenced: 'id',
  }
  const deletion = (start: number): Buffer[] => [
    begin(start, start + 20),
    describeTable('sellers', start + 30),
    change(25, 'sellers', start + 40),
    commit(start + 50),
  ]

  it.each([
    ['has changes by foreign keys', {}, true],
    [
      'has changes by foreign keys of a server that logs these itself',
      { innodb_native_foreign_keys: 'OFF' },
      false,
    ],
  ])('%s', async (_, changed, isReported) => {
    const { open, said, server } = await lead({
      variables: { ...ofMariadb, ...changed },
      answers: [['REFERENTIAL_CONSTRAINTS', [key]]],
    })
    const log = await open(rotate)
    for (const one of deletion(440)) server.send(one)
    await eventually(() => {
      log.ask()
      server.send(event(27, 500))
      return said.includes('alive 500')
    })
    expect(said.some((one) => one.startsWith('truncate'))).toBe(isReported)
  })

  it('has changes by a foreign key from the definition on that adds it', async () => {
    const keys: object[] = []
    const { open, said, server } = await lead({ answers: [['REFERENTIAL_CONSTRAINTS', () => [...keys]]] })
    await open(rotate)
    keys.push(key)
    const definition = [begin(3, 510), statement('ALTER TABLE bids ADD x int', 540), commit(550)]
    for (const one of [...deletion(440), ...definition, ...deletion(560)]) server.send(one)
    await eventually(() => said.includes('commit 610'))
    expect(said).toEqual([expect.stringMatching(/^truncate/), 'commit 610'])
  })

  it('has problems with tables that are not there', async () => {
    const { open } = await lead({ answers: [['information_schema.TABLES', []]] })
    expect((await open(rotate)).problems).toEqual([expect.objectContaining({ isFollowed: false })])
  })

  it('waits while a definition is looked at', async () => {
    const { open, said, server, tables } = await lead()
    const log = await open(rotate)
    tables.shift()
    expect(await log.hasChanged()).toBe(false)
    server.send(begin(2, 440))
    server.send(statement('DROP TABLE lots', 480))
    server.send(commit(500))
    await eventually(async () => log.hasChanged())
    await eventually(() => said.includes('commit 500'))
  })

  it('ends if what a definition has changed cannot be found out', async () => {
    let isRefused = false
    const { open, server } = await lead({
      answers: [
        [
          'information_schema.TABLES',
          () => (isRefused ? new Error('denied') : [{ schema: 'shop', name: 'lots', kind: 'BASE TABLE' }]),
        ],
      ],
    })
    const log = await open(rotate)
    isRefused = true
    server.send(begin(2, 440))
    server.send(statement('DROP TABLE lots', 480))
    expect((await log.ended).message).toBe('model-cache: cannot look at changed tables: denied.')
  })

  it('ends if the log of the server begins again', async () => {
    const { end, leadership, open } = await lead()
    const log = await open(rotate)
    end.offset = 300
    expect(await leadership.end()).toBe(at(300))
    expect((await log.ended).message).toBe('model-cache: the binlog was deleted, and begins again.')
  })

  it('shows which transactions readers do not see', async () => {
    const { end, leadership, open, said, server } = await lead()
    await open(rotate)
    expect([(await leadership.transactions()).oldest, await leadership.newTransaction()]).toEqual([1n, 1n])
    for (const one of [begin(2, 440), statement('LOAD DATA', 480), commit(500)]) server.send(one)
    await eventually(() => said.length > 1)
    const running = await leadership.transactions()
    expect([running.oldest, running.has(1), await leadership.newTransaction()]).toEqual([1n, true, 2n])
    // All that ask at once share an answer.
    const before = server.asked.length
    end.offset = 500
    const [one, other, position] = await Promise.all([
      leadership.transactions(),
      leadership.transactions(),
      leadership.end(),
    ])
    expect([one.oldest, one === other, position, server.asked.length - before]).toEqual([
      2n,
      true,
      at(500),
      1,
    ])
  })

  it('is not asked for its end while its connection is busy', async () => {
    let isBusy = false
    const { leadership, open, server } = await lead({
      answers: [['information_schema.TABLES', () => (isBusy ? 'silence' : [])]],
    })
    const log = await open(rotate)
    expect(await leadership.end()).toBe(at(400))
    await leadership.replicaHas()
    isBusy = true
    const { length } = server.asked
    log.follow([lots]).catch(() => {})
    await eventually(() => server.asked.length > length)
    expect([await leadership.end(), server.asked.length]).toEqual([undefined, length + 1])
  })

  it('of MariaDB is looked at soon after a transaction has begun', async () => {
    const { end, open, said, server } = await lead()
    await open(rotate)
    end.at = '6000000'
    const looks = () =>
      server.asked.filter((sql) => sql.endsWith('@@GLOBAL.gtid_binlog_state AS state')).length
    expect(looks()).toBe(0)
    // It does not look while another question is open.
    for (const count of [1, 2])
      await eventually(() => {
        server.send(begin(2, 440))
        return looks() >= count
      })
    for (const one of [begin(5, 540), statement('LOAD DATA', 580), commit(600)]) server.send(one)
    await eventually(() => said.includes('commit 600'))
    expect(said).toEqual(['truncate 6000000', 'commit 600'])
  })

  it('of MySQL begins once what is being committed can be seen', async () => {
    const uuid = 'be044948-e95a-11f1-861c-02fc00000001'
    const owned = [`${uuid}:1#7:2#8`, `${uuid}:2#8`, `${uuid}:3#9`]
    let asked = 0
    const { open } = await lead({
      variables: ofMysql,
      answers: [['gtid_owned', () => [{ owned: owned[asked++] ?? '' }]]],
    })
    expect((await open(rotate)).isNew).toBe(true)
    expect(asked).toBe(3)
  })

  it('reads events with checksums, and after a crash of a server that may have lost some, all rows', async () => {
    const variables = { ...ofMariadb, binlog_checksum: 'CRC32' }
    const { end, leadership, open, said, server } = await lead({ variables })
    const checked = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(4)])
    await open(checked(rotate))
    server.send(
      Buffer.concat([event(15, 440, Buffer.alloc(52), uint(1_000, 4), uint(1, 1)), Buffer.alloc(4)]),
    )
    await eventually(() => said.length > 1)
    expect(said).toEqual([expect.stringMatching(/^truncate/), 'commit 400'])
    // Readers see it once they see what is behind it.
    expect((await leadership.transactions()).oldest).toBe(1n)
    end.offset = 401
    expect((await leadership.transactions()).oldest).toBe(2n)
  })

  it.each(['sync_binlog', 'innodb_flush_log_at_trx_commit'])(
    'may lack changes after a crash of a server with %s alone',
    async (name) => {
      const { open, said, server } = await lead({ variables: { ...ofMariadb, [name]: '1' } })
      await open(rotate)
      server.send(description(440, 1_000))
      await eventually(() => said.includes('commit 400'))
    },
  )

  it('of a server that loses nothing goes on after a crash', async () => {
    const variables = { ...ofMariadb, sync_binlog: '1', innodb_flush_log_at_trx_commit: '1' }
    const { open, said, server } = await lead({ variables })
    const log = await open(rotate)
    server.send(
      Buffer.concat([event(15, 440, Buffer.alloc(52), uint(1_000, 4), uint(0, 1)), Buffer.alloc(4)]),
    )
    await eventually(() => {
      log.ask()
      server.send(event(27, 450))
      return said.includes('alive 450')
    })
    expect(said.filter((one) => !one.startsWith('alive'))).toEqual([])
  })
})
