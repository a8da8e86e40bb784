import type { LogListener } from '../database-log.js'
import type { LoggedChange, LoggedRow } from '../logged-change.js'
import type { BinlogEvent, DescribedTable } from './binlog-events.js'
import { ByteReader } from './byte-reader.js'
import { CommitViews } from './commit-views.js'
import { ForeignKeys } from './foreign-keys.js'
import { schemasIn } from './found-tables.js'
import { placeIn, positionOf } from './log-position.js'
import { LoggedChanges } from './logged-changes.js'

function followLots({ isDurable = true } = {}) {
  const said: string[] = []
  const listener: LogListener = {
    onChange: ({ kind }) => said.push(kind),
    onCommit: (position) => said.push(`commit ${position % (1n << 40n)}`),
    onAlive: (position) => said.push(`alive ${position % (1n << 40n)}`),
  }
  const changes = new LoggedChanges({
    listener,
    server: '7',
    isDurable,
    ignoresCase: false,
    columnsOf: () => new Set(),
    schema: { foreignKeys: new ForeignKeys(), inDatabase: (table) => table },
    views: new CommitViews(),
    onDefinition: () => {},
  })
  changes.follow([{ schema: 'shop', name: 'lots' }])
  const take = (...events: BinlogEvent[]): string[] => {
    for (const event of events) changes.take(event)
    return said.splice(0)
  }
  return { changes, take }
}

const rotate = { kind: 'rotate', file: 'binlog.000001', offset: 4 } as const
const begin = {
  kind: 'begin',
  start: 4,
  bytes: Buffer.alloc(0),
  atMs: 0,
  gtid: '0-1-1',
  isSingle: false,
} as const
const statement = {
  kind: 'statement',
  text: 'INSERT INTO lots VALUES (1)',
  schema: 'shop',
  offset: 50,
} as const
const ofService = { ...statement, text: "DELETE FROM mysql.rds_sysinfo where name = 'a'" } as const
const commit = { kind: 'commit', offset: 90 } as const

describe('the changes in a binlog', () => {
  it('are a sign of life, also when the server never has nothing to send', () => {
    const { changes, take } = followLots()
    take(rotate)
    changes.ask()
    expect(take(begin, statement, commit)).toEqual(['alive 4', 'truncate', 'commit 90'])
    changes.ask()
    expect(take(begin)).toHaveLength(1)
  })

  it('may be lost when a server that does not sync its log is started again', () => {
    const restart: BinlogEvent = { kind: 'restart', offset: 0 }
    expect(followLots({ isDurable: false }).take(rotate, restart)).toEqual(['truncate', expect.any(String)])
    expect(followLots().take(rotate, restart)).toEqual([])
  })

  it('end with the server that was writing them', () => {
    const next = { ...rotate, file: 'binlog.000002' }
    const restart: BinlogEvent = { kind: 'restart', offset: 0 }
    const ofGroup = [rotate, begin, statement, next, restart]
    expect(followLots().take(...ofGroup)).toEqual(['truncate', 'commit 4'])
    expect(followLots({ isDurable: false }).take(...ofGroup)).toEqual(['truncate', 'truncate', 'commit 4'])
    const { take } = followLots()
    expect(take(rotate, begin, next, restart)).toEqual([])
    // What comes later is of no transaction.
    expect(take(statement)).toEqual(['truncate', 'commit 4'])
  })
})

const shop = (name: string) => ({ schema: 'shop', name })
/** A described table whose columns have a byte each. */
const described = (name: string, columns: readonly string[] = ['id', 'note', 'code']): DescribedTable => ({
  id: 1,
  ...shop(name),
  columns: columns.map((column) => ({
    name: column,
    type: 3,
    length: (reader) => {
      if (reader.left === 0) throw new RangeError('an event ends too early')
      return 1
    },
    text: ([byte]) => String(byte),
  })),
})
const unchecked = { isUnchecked: true }

type RowsEvent = Extract<BinlogEvent, { readonly before: unknown }>

/** Changed rows. @param values a digit for each value, and rows apart by spaces; @param present bits of the columns that they have */
function rows(
  kind: RowsEvent['kind'],
  table: DescribedTable | undefined,
  values: string,
  { isUnchecked = false, present = [7, 7] } = {},
): RowsEvent {
  const [before, after] = present.map((bits) => Buffer.from([bits]))
  return {
    kind,
    table,
    before: kind === 'insert' ? undefined : before,
    after: kind === 'delete' ? undefined : after,
    // No value of a row is null.
    rows: new ByteReader(
      Buffer.from(
        values
          .split(' ')
          .filter(Boolean)
          .flatMap((row) => [0, ...[...row].map(Number)]),
      ),
    ),
    isUnchecked,
  }
}

/** Follows lots, whose keys their bids and notes have, and in another spelling of the name. */
function followRows({ ignoresCase = false } = {}) {
  const said: string[] = []
  const text = (row: LoggedRow | undefined): string => JSON.stringify(Object.fromEntries(row ?? []))
  const textOf = (change: LoggedChange): string => {
    if (change.kind === 'truncate') return `all ${change.tables.map(({ name }) => name).join()}`
    const { columns, isWhole, name, schema } = change.table
    const place = schema === 'shop' ? name : `${schema}.${name}`
    const facts = `${change.kind} ${isWhole ? 'whole' : 'parts'} ${place}(${columns.map((one) => `${one.name} ${one.type} ${one.isKey}`).join()})`
    if (change.kind === 'insert') return `${facts} ${text(change.row)}`
    return `${facts} ${text(change.before)}${change.kind === 'update' ? ` ${text(change.row)}` : ''}`
  }
  const foreignKeys = new ForeignKeys()
  const key = { onDelete: true, onUpdate: false, deletesToo: true, referenced: ['id'] }
  foreignKeys.add([
    { ...key, parent: shop('lots'), child: shop('bids') },
    {
      ...key,
      parent: shop('lots'),
      child: shop('notes'),
      referenced: ['id', 'code'],
      onDelete: false,
      onUpdate: true,
    },
    { ...key, parent: shop('sellers'), child: shop('bids') },
    // Of a table that nobody follows.
    { ...key, parent: shop('sellers'), child: shop('visits') },
  ])
  const read = new Set(['id'])
  const changes = new LoggedChanges({
    listener: {
      onChange: (change) => said.push(textOf(change)),
      onCommit: (position) => said.push(`commit ${position % (1n << 40n)}`),
      onAlive: () => {},
    },
    server: '7',
    isDurable: true,
    ignoresCase,
    columnsOf: () => read,
    schema: { foreignKeys, inDatabase: schemasIn('shop') },
    views: new CommitViews(),
    onDefinition: () => said.push('definition'),
  })
  changes.follow(['lots', 'bids', 'notes'].map(shop))
  changes.take(rotate)
  const take = (...events: BinlogEvent[]): string[] => {
    for (const event of events) changes.take(event)
    return said.splice(0)
  }
  return { changes, read, take }
}

/** Of a table whose columns are unknown. */
const unknownRows = (name: string) => rows('insert', { ...described(name), columns: undefined }, '')
const ofLots = (kind: RowsEvent['kind'], values: string, change?: Parameters<typeof rows>[3]) =>
  rows(kind, described('lots'), values, change)

/** What may have changed if nobody knows. */
const everything = ['all lots', 'all bids', 'all notes']
const lots = 'lots(id 3 false,note 3 false,code 3 false)'
const say = (text: string, schema = 'shop'): BinlogEvent => ({ ...statement, text, schema })

describe('a change in a binlog', () => {
  it.each<[string, BinlogEvent, string[]]>([
    [
      'that inserts rows shows their wanted columns',
      ofLots('insert', '123 456'),
      [`insert whole ${lots} {"id":"1"}`, `insert whole ${lots} {"id":"4"}`],
    ],
    [
      'that updates a row shows what it was',
      ofLots('update', '123 143'),
      [`update whole ${lots} {"id":"1","code":"3"} {"id":"1","code":"3"}`],
    ],
    [
      'that updates a key reports the rows which have it',
      ofLots('update', '123 124'),
      [`update whole ${lots} {"id":"1","code":"3"} {"id":"1","code":"4"}`, 'all notes'],
    ],
    [
      'that updates a key reports nothing else if keys were not checked',
      ofLots('update', '123 224', unchecked),
      [`update whole ${lots} {"id":"1","code":"3"} {"id":"2","code":"4"}`],
    ],
    [
      'that does not show the key before the update may have changed it',
      ofLots('update', '1 123', { present: [1, 7] }),
      [`update parts ${lots} {"id":"1"} {"id":"1","code":"3"}`, 'all notes'],
    ],
    [
      'that does not show the key after the update may have changed it',
      ofLots('update', '123 1', { present: [7, 1] }),
      [`update parts ${lots} {"id":"1","code":"3"} {"id":"1"}`, 'all notes'],
    ],
    [
      'that does not show the key may have changed it',
      ofLots('update', '1 1', { present: [1, 1] }),
      [`update parts ${lots} {"id":"1"} {"id":"1"}`, 'all notes'],
    ],
    [
      'that deletes rows reports those that go with them, once',
      ofLots('delete', '123 456'),
      [
        `delete whole ${lots} {"id":"1","code":"3"}`,
        'all bids',
        `delete whole ${lots} {"id":"4","code":"6"}`,
      ],
    ],
    [
      'of a table that nobody follows reports what goes with its rows',
      rows('delete', described('sellers'), '123'),
      ['all bids'],
    ],
    ['of a table that nobody follows is none otherwise', rows('delete', described('visits'), '123'), []],
    [
      'that inserts rows without a column may be of any row',
      ofLots('insert', '', { present: [0, 0] }),
      ['all lots'],
    ],
    ['that ends too early may be of any row', ofLots('delete', '1'), everything],
    ['that ends too early, unchecked, reports no more', ofLots('delete', '1', unchecked), ['all lots']],
    ['of a table whose columns are unknown', unknownRows('lots'), everything],
    ['of a table whose columns are unknown, and that nobody follows', unknownRows('sellers'), ['all bids']],
    ['of a followed table without columns that has no rows of others', unknownRows('bids'), ['all bids']],
    ['of a table that is not described', rows('insert', undefined, ''), everything],
    ['that cannot be read', { kind: 'unreadable', offset: 60 }, everything],
  ])('%s', (_, event, said) => {
    const { take } = followRows()
    // The columns of an insert that keys have are read as well.
    const ofInsert = (text: string) => (text.startsWith('insert') ? text.replace(/,"code":"\d"/, '') : text)
    expect(take(begin, event, commit).map(ofInsert)).toEqual(said.length > 0 ? [...said, 'commit 90'] : [])
  })

  it('that cannot be read may be a whole transaction, or a definition', () => {
    const compressed: BinlogEvent = { kind: 'unreadable', offset: 60 }
    const said = followRows().take({ ...begin, isSingle: true }, compressed)
    expect(said).toEqual([...everything, 'definition', 'commit 60'])
  })

  it('that fails otherwise ends the log', () => {
    const broken = {
      ...described('lots'),
      columns: [
        {
          name: 'id',
          type: 3,
          length: () => 1,
          text: () => {
            throw new TypeError('a defect')
          },
        },
      ],
    }
    expect(() => followRows().take(begin, rows('insert', broken, '1'))).toThrow('a defect')
  })

  it('shows other columns from the moment at which they are wanted', () => {
    const { changes, read, take } = followRows()
    const table = described('bids')
    const noted = () => take(begin, rows('insert', table, '123')).map((text) => /{.*/.exec(text)![0])
    expect(noted()).toEqual(['{"id":"1"}'])
    read.add('note')
    // Decided once for a description.
    expect(noted()).toEqual(['{"id":"1"}'])
    changes.refresh()
    expect(noted()).toEqual(['{"id":"1","note":"2"}'])
    read.delete('note')
    changes.follow([shop('bids')])
    expect(noted()).toEqual(['{"id":"1"}'])
  })

  it('is of the table with the same letters, also where two differ in case alone', () => {
    const { changes, take } = followRows()
    changes.follow(['Lots', 'lots', 'LOTS'].map(shop))
    const nameIn = (name: string) =>
      take(begin, rows('insert', described(name), '123')).map((text) => text.split(/[ (]/)[2])
    expect(['lots', 'LOTS', 'lOTS'].flatMap(nameIn)).toEqual(['lots', 'LOTS', 'Lots'])
    expect(take(begin, rows('insert', undefined, ''))).toEqual(['all Lots,lots,LOTS'])
  })

  it('is of the table in the database with the same letters, also where two differ in case alone', () => {
    const { changes, take } = followRows()
    changes.follow(['Shop', 'shop'].map((schema) => ({ schema, name: 'lots' })))
    const placeIn = (schema: string) => {
      const [text] = take(begin, rows('insert', { ...described('lots'), schema }, '123'))
      return text!.split(/[ (]/)[2]
    }
    expect(['shop', 'Shop'].map(placeIn)).toEqual(['lots', 'Shop.lots'])
  })

  it('is of the table with and without the name of its database, also where two differ in case alone', () => {
    const { changes, take } = followRows()
    changes.follow(['public', 'shop', 'Shop'].map((schema) => ({ schema, name: 'lots' })))
    const places = take(begin, ofLots('insert', '123')).map((text) => text.split(/[ (]/)[2])
    expect(places).toEqual(['public.lots', 'lots'])
  })

  it('is of each table that differs in case alone if the server takes these for one', () => {
    const { changes, take } = followRows({ ignoresCase: true })
    changes.follow(['Lots', 'lots'].map(shop))
    const tablesIn = (event: BinlogEvent) => take(begin, event).map((text) => text.split('(')[0])
    expect(tablesIn(ofLots('insert', '123'))).toEqual(['insert whole Lots', 'insert whole lots'])
    expect(tablesIn(ofLots('delete', '1', { present: [1, 1] }))).toEqual([
      'delete parts Lots',
      'delete parts lots',
    ])
  })
})

describe('a statement in a binlog', () => {
  const single = { ...begin, isSingle: true } as const
  const insert = () => rows('insert', described('bids'), '123')
  const inserted = expect.stringContaining('insert whole bids')
  it.each<[string, BinlogEvent[], unknown[]]>([
    [
      'is committed by itself',
      [single, say('ALTER TABLE lots ADD x int')],
      ['all lots', 'definition', 'commit 50'],
    ],
    [
      'names tables of its own database alone',
      [single, say('ALTER TABLE lots ADD x int', 'other')],
      ['definition'],
    ],
    [
      'changes no row of a cache if the service that runs the server writes for itself',
      [single, say('INSERT INTO mysql.rds_heartbeat2(id, value) values (1,2)'), begin, insert(), commit],
      [inserted, 'commit 90'],
    ],
    ['may change the rows of all tables', [single, say('LOAD DATA')], [...everything, 'commit 50']],
    [
      'may change the rows of all tables, and what tables there are',
      [single, say('SET STATEMENT a = 1 FOR ALTER TABLE bids ADD x int')],
      [...everything, 'definition', 'commit 50'],
    ],
    [
      'begins a transaction that is no definition',
      [single, say('SAVEPOINT `drop`'), insert(), commit],
      [inserted, 'commit 90'],
    ],
    ['begins a transaction', [single, say('BEGIN'), insert(), commit], [inserted, 'commit 90']],
    ['is one of several', [begin, say('SAVEPOINT a'), insert(), commit], [inserted, 'commit 90']],
    ['is one of several, and changes rows', [begin, say('LOAD DATA'), commit], [...everything, 'commit 90']],
    [
      'is one of several, and names the end of another one',
      [begin, say("LOAD DATA 'XA COMMIT'"), commit],
      [...everything, 'commit 90'],
    ],
    ['commits a transaction', [begin, insert(), say('COMMIT')], [inserted, 'commit 50']],
    [
      'commits what was prepared',
      [begin, insert(), say("XA COMMIT 'a'")],
      [inserted, ...everything, 'commit 50'],
    ],
    ['is of no transaction', [say('DROP TABLE bids')], ['all bids', 'commit 4', 'definition']],
  ])('%s', (_, events, said) => {
    expect(followRows().take(...events)).toEqual(said)
  })
})

describe('a place in a binlog', () => {
  it('is the last transaction that ends before a position', () => {
    const { changes, take } = followRows()
    const at = (offset: number) => positionOf({ file: rotate.file, offset })
    const second: BinlogEvent = { ...begin, start: 90, bytes: Buffer.from([2]) }
    const third: BinlogEvent = { ...begin, start: 150, bytes: Buffer.from([3]) }
    take(begin, commit, second, { kind: 'commit', offset: 150 }, third, { kind: 'commit', offset: 200 })
    const places = [89, 90, 150, 170, 200].map((offset) => placeIn(changes.placeOf(at(offset))))
    expect(places).toEqual([
      undefined,
      ...[
        [4, []],
        [90, [2]],
        [90, [2]],
        [150, [3]],
      ].map(([offset, bytes]) => ({
        file: rotate.file,
        offset,
        bytes: Buffer.from(bytes as number[]),
        server: '7',
      })),
    ])
    // Those before are forgotten.
    expect(changes.placeOf(at(150))).toBe('')
  })

  it('is kept of 10,000 transactions at most, until one is noted', () => {
    const { changes, take } = followRows()
    const positions = Array.from({ length: 12_000 }, (_, i) => {
      take({ ...begin, start: i }, { kind: 'commit', offset: i + 1 })
      return positionOf({ file: rotate.file, offset: i + 1 })
    })
    const places = positions.map((position) => placeIn(changes.placeOf(position))!.offset)
    expect(new Set(places).size).toBeLessThanOrEqual(10_000)
    // Each is that of the transaction, or of one before it.
    expect(places.every((start, i) => start <= i)).toBe(true)
    expect([places[0], places.at(-1)]).toEqual([0, 11_999])
  })

  it.each<[string, BinlogEvent[], number]>([
    ['goes on with what the server says', [{ kind: 'alive', offset: 70 }], 70],
    ['goes on with an event of no transaction', [{ kind: 'other', offset: 70 }], 70],
    [
      'goes on after a statement of the service that runs the server, in a transaction and without one',
      [
        { ...begin, isSingle: true },
        { ...statement, text: 'BEGIN', offset: 40 },
        ofService,
        { ...commit, offset: 60 },
        { ...begin, isSingle: true },
        { ...ofService, offset: 70 },
      ],
      70,
    ],
    ['goes on after a statement of no transaction', [statement], 50],
    ['stays where an event does not say where it ends', [{ kind: 'other', offset: 0 }], 4],
    [
      'does not go back',
      [
        { kind: 'alive', offset: 70 },
        { kind: 'alive', offset: 60 },
      ],
      70,
    ],
    ['does not go on within a transaction', [begin, { kind: 'other', offset: 70 }], 4],
    ['goes on after a transaction that concerns no cache', [begin, { kind: 'commit', offset: 70 }], 70],
    [
      'goes on in the next file',
      [
        { kind: 'alive', offset: 70 },
        { ...rotate, file: 'binlog.000002' },
      ],
      4,
    ],
  ])('%s', (_, events, offset) => {
    const { changes, take } = followLots()
    take(rotate, ...events)
    changes.ask()
    expect(take({ kind: 'statement', text: 'SAVEPOINT a', schema: '', offset: 0 })).toEqual([
      `alive ${offset}`,
    ])
  })

  it('is none before the server has said where its log begins', () => {
    const { changes, take } = followLots()
    changes.ask()
    expect(take({ kind: 'other', offset: 0 })).toEqual([])
    expect(take(rotate)).toEqual(['alive 4'])
  })
})
