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
    expect(other.table!.columns).toBeUndefined()
  })

  it('leaves out the checksum where the file has some', () => {
    const decoder = new BinlogDecoder(charsets, true)
    const checked = (text: string): Buffer => Buffer.concat([bytesOf(text), Buffer.alloc(4, 0xee)])
    decoder.decode(checked(tableMap))
    expect(decoder.decode(checked(insert))).toMatchObject({ kind: 'insert' })
  })

  it.each([18, 26, 39, 40, 165, 166, 167, 168])('says that an event of type %d cannot be read', (type) => {
    const bytes = Buffer.alloc(30)
    bytes[4] = type
    expect(new BinlogDecoder(charsets, false).decode(bytes)).toMatchObject({ kind: 'unreadable' })
  })
})
