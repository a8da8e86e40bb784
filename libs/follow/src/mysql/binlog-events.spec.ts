import { BinlogDecoder, type BinlogEvent } from './binlog-events.js'
import { areWhole, changedRows } from './logged-rows.js'

/** Events of MariaDB 10.11, without checksums: a table with a column of each type, and a row of it. */
const tableMap =
  'pacHaxMBAAAAxgAAAEUOkwAAAJUAAAAAAAEAA2NhcAAFdHlwZXMAGQgDCQIQ9hIKExEN/g/+/g/8/AQF/AEP/gMaAQEUBwMCBvcBsAT+kP4GCQACAgQIBBQA+AH+//8BAQKkAAMI4OA/P+A/' +
  'LggEPQJpZAFpAW0BcwFiAWQCZHQCZGECdGkCdHMBeQFlAXYBYwJiaQJ2YgF0AmJsAWYCZGIBagJibwFsAnNlAW4KAeAFBQIBYQFiBgYCAXgCw7wIAQA='
const insert =
  'pacHaxcBAAAArQAAAPIOkwAAAJUAAAAAAAEAGf///wEAAAD////////////7/////////f8BAXst3iavNP////WZsoZBRh7SIsQOgX76GWWSAIAB4kCDAgMAdsOpJDVlZWQwMDAwLTAwMDAtNDAw' +
  'MC1hMDAwLTAwMDAwMDAwMDBmZgIBAgIDAAQAdGV4dAEA/wAAwD8AAAAAAAACQAIAAAB7fQEDYWJjAw=='

const charsets = new Map([
  [8, 'latin1'],
  [46, 'utf8mb4'],
  [63, 'binary'],
  [224, 'utf8mb4'],
])
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64')

function decodeInsert(): Extract<BinlogEvent, { readonly before: unknown }> {
  const decoder = new BinlogDecoder(charsets, false)
  decoder.decode(bytesOf(tableMap))
  const event = decoder.decode(bytesOf(insert))
  if (event.kind !== 'insert') throw new Error(`It is ${event.kind}.`)
  return event
}

describe('the decoder of the binlog', () => {
  it('reads the values of ids and keys as PostgreSQL would write them, and leaves out what Prisma may read otherwise', () => {
    const event = decodeInsert()
    const { columns, name, schema } = event.table!
    const [row] = changedRows(
      event,
      columns!,
      columns!.map(() => true),
    )
    expect([schema, name, areWhole(event.after, columns!.length)]).toEqual(['cap', 'types', true])
    expect(Object.fromEntries(row!.after!)).toEqual({
      id: '18446744073709551615',
      i: '-5',
      m: '16777215',
      s: '-3',
      b: '257',
      d: '-1234567890123.0000010',
      dt: '2024-02-03 04:05:06.7890',
      da: '1890-01-02',
      ti: '23:59:58.25',
      y: '2031',
      e: 'ü',
      v: 'vé',
      c: '5eed0000-0000-4000-a000-0000000000ff',
      bi: String.raw`\x010200000000`,
      vb: String.raw`\x0300`,
      t: 'text',
      bl: String.raw`\xff`,
      db: '2.25',
      j: '{}',
      bo: '1',
      l: 'abc',
      n: null,
    })
  })

  it('reads the wanted columns alone', () => {
    const event = decodeInsert()
    const columns = event.table!.columns!
    const [row] = changedRows(
      event,
      columns,
      columns.map(({ name }) => name === 'l' || name === 'id'),
    )
    expect([...row!.after!.keys()]).toEqual(['id', 'l'])
  })

  it('knows no columns of a table whose names or types are not described', () => {
    const decoder = new BinlogDecoder(charsets, false)
    const withoutMetadata = bytesOf(tableMap).subarray(0, 96)
    decoder.decode(withoutMetadata)
    const event = decoder.decode(bytesOf(insert)) as ReturnType<typeof decodeInsert>
    expect([event.table!.name, event.table!.columns]).toEqual(['types', undefined])
    const ofNewerServer = bytesOf(tableMap)
    ofNewerServer[19 + 8 + 4 + 1 + 6 + 2 + 1] = 200
    decoder.decode(ofNewerServer)
    const other = decoder.decode(bytesOf(insert)) as ReturnType<typeof decodeInsert>
    expect([other.table!.name, other.table!.columns]).toEqual(['types', undefined])
  })

  it('leaves out the checksum where the file has some', () => {
    const decoder = new BinlogDecoder(charsets, true)
    const checked = (text: string): Buffer => Buffer.concat([bytesOf(text), Buffer.alloc(4, 0xee)])
    decoder.decode(checked(tableMap))
    expect(decoder.decode(checked(insert))).toMatchObject({ kind: 'insert' })
  })

  const kindOf = (type: number, flags = 0): BinlogEvent['kind'] => {
    const bytes = Buffer.alloc(30)
    bytes[4] = type
    bytes[17] = flags
    return new BinlogDecoder(charsets, false).decode(bytes).kind
  }

  it.each([18, 26, 39, 40, 165, 166, 167, 168])('says that an event of type %d cannot be read', (type) => {
    expect(kindOf(type)).toBe('unreadable')
  })

  it.each([3, 29, 35, 160, 163])('leaves out an event of type %d', (type) => {
    expect(kindOf(type)).toBe('other')
  })

  it('says that an event of a newer server cannot be read, unless the server says that it may be left out', () => {
    expect([kindOf(200), kindOf(200, 0x80)]).toEqual(['unreadable', 'other'])
  })
})

const uint = (value: number, size: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes.subarray(0, size)
}
const checksum = Buffer.alloc(4, 0xee)

/** An event of server 7, in the second 1000, that begins at 400 and ends at 500. */
const event = (type: number, ...body: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    uint(1_000, 4),
    uint(type, 1),
    uint(7, 4),
    uint(100, 4),
    uint(500, 4),
    uint(0, 2),
    ...body.map((part) => Buffer.from(part as string)),
  ])
/** The description of a file. @param createdAt of the first file of a server's life: when it began */
const format = (createdAt: number, hasChecksums: boolean): Buffer =>
  event(15, Buffer.alloc(52), uint(createdAt, 4), uint(hasChecksums ? 1 : 0, 1), checksum)
const mariadbBegin = (flags: number): Buffer => event(162, uint(12, 8), uint(3, 4), uint(flags, 1))
const rotate = (file: string): Buffer => event(4, uint(4, 8), file)
/** A description of a table without columns. */
const describeTable = (id: number): Buffer => event(19, uint(id, 6), uint(0, 2), '\x01s\0\x01t\0\0\0')
/** A change of three columns. */
const change = (type: number, id = 1, flags = 0): Buffer =>
  event(
    type,
    uint(id, 6),
    uint(flags, 2),
    type >= 30 ? Buffer.concat([uint(5, 2), Buffer.alloc(3, 9)]) : '',
    '\x03\x07\x05',
  )

describe('an event of the binlog', () => {
  it.each<[string, Buffer, object]>([
    [
      'of the first file of a server that was started',
      format(1_000, false),
      { kind: 'restart', offset: 500 },
    ],
    ['of another file', format(0, false), { kind: 'other', offset: 500 }],
    [
      'with a statement',
      event(2, Buffer.alloc(8, 9), '\x04', uint(0, 2), uint(3, 2), '999', 'shop\0', 'COMMIT'),
      { kind: 'statement', schema: 'shop', text: 'COMMIT', offset: 500 },
    ],
    [
      'that names the next file',
      rotate('binlog.000002'),
      { kind: 'rotate', file: 'binlog.000002', offset: 4 },
    ],
    ['that commits', event(16), { kind: 'commit', offset: 500 }],
    ['that prepares', event(38), { kind: 'commit', offset: 500 }],
    ['that shows that the server is there', event(27), { kind: 'alive', offset: 500 }],
    ['that shows it as MySQL does, with another offset', event(41), { kind: 'alive', offset: 0 }],
    ['that describes a table', describeTable(1), { kind: 'other', offset: 0 }],
    [
      'that begins a transaction of MariaDB',
      mariadbBegin(2),
      { kind: 'begin', bytes: mariadbBegin(2), start: 400, atMs: 1_000_000, gtid: '3-7-12', isSingle: false },
    ],
    [
      'that begins a single statement of MariaDB',
      mariadbBegin(1),
      { kind: 'begin', bytes: mariadbBegin(1), start: 400, atMs: 1_000_000, gtid: '3-7-12', isSingle: true },
    ],
  ])('%s', (_, bytes, decoded) => {
    expect(new BinlogDecoder(charsets, false).decode(bytes)).toEqual(decoded)
  })

  it('that begins a transaction of MySQL may be followed by one statement', () => {
    const decoder = new BinlogDecoder(charsets, false)
    expect(decoder.decode(event(33, Buffer.alloc(60)))).toMatchObject({ kind: 'begin', isSingle: true })
  })

  it('that begins a transaction of MySQL without a GTID is refused: nobody knows when readers see it', () => {
    const decoder = new BinlogDecoder(charsets, false)
    expect(() => decoder.decode(event(34, Buffer.alloc(60)))).toThrow(
      'a transaction of MySQL has no GTID: gtid_mode is not ON, or was not',
    )
  })

  it.each([23, 24, 25, 30, 31, 32])('with changed rows has the columns that these show: type %d', (type) => {
    const kind = (['insert', 'update', 'delete'] as const)[(type - 23) % 7]!
    const decoded = new BinlogDecoder(charsets, false).decode(change(type))
    const [first, second] = [Buffer.from([7]), Buffer.from([5])]
    expect(decoded).toMatchObject({
      kind,
      table: undefined,
      before: kind === 'insert' ? undefined : first,
      after: { insert: first, update: second, delete: undefined }[kind],
      isUnchecked: false,
    })
    expect(new BinlogDecoder(charsets, false).decode(change(type, 1, 2))).toMatchObject({ isUnchecked: true })
  })

  it('has a checksum if the description of its file says so', () => {
    const decoder = new BinlogDecoder(charsets, false)
    const file = (): unknown => decoder.decode(Buffer.concat([rotate('binlog.000002'), checksum]))
    decoder.decode(format(0, true))
    expect(file()).toMatchObject({ file: 'binlog.000002' })
    decoder.decode(format(0, false))
    expect(file()).not.toMatchObject({ file: 'binlog.000002' })
  })

  it('has texts beside a geometry by the character sets of the server that has begun the transaction', () => {
    const types = [2, 255, 15, 3, 4, 20, 0, 0]
    const described = Buffer.from([...types, 2, 3, 46, 0, 63, 4, 4, 1, 0x70, 1, 0x61])
    const inserted = Buffer.from([2, 3, 0, 1, 0, 0, 0, 0xff, 1, 0x61])
    const decoder = new BinlogDecoder(charsets, false)
    decoder.decode(mariadbBegin(0))
    decoder.decode(event(19, uint(1, 6), uint(0, 2), '\x01s\0\x01t\0', described))
    const bytes = event(23, uint(1, 6), uint(0, 2), inserted)
    const changed = decoder.decode(bytes) as ReturnType<typeof decodeInsert>
    const [row] = changedRows(changed, changed.table!.columns!, [true, true])
    expect([...row!.after!]).toEqual([['a', 'a']])
  })

  it('has the same description of a table until another one comes, or a thousand are known', () => {
    const decoder = new BinlogDecoder(charsets, false)
    const tableOf = (id: number) => (decoder.decode(change(23, id)) as ReturnType<typeof decodeInsert>).table
    for (let id = 0; id < 1_000; id++) decoder.decode(describeTable(id))
    const first = tableOf(1)
    decoder.decode(describeTable(1))
    decoder.decode(mariadbBegin(0))
    expect([first?.name, tableOf(1) === first]).toEqual(['t', true])
    decoder.decode(describeTable(1_000))
    expect(tableOf(1)).toBe(first)
    decoder.decode(mariadbBegin(0))
    expect(tableOf(1)).toBeUndefined()
  })
})
