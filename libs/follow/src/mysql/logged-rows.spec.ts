import type { BinlogEvent } from './binlog-events.js'
import { ByteReader } from './byte-reader.js'
import { changedRows } from './logged-rows.js'
import type { MappedColumn } from './table-map.js'

/** Columns of a byte each, of which some have no text. */
const columnsOf = (count: number, withoutText?: number): MappedColumn[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `c${i}`,
    type: 1,
    length: () => 1,
    text: ([byte]) => (i === withoutText ? undefined : String(byte)),
  }))

function rowsIn(present: number[], columns: readonly MappedColumn[], ...bytes: number[]) {
  const event: Extract<BinlogEvent, { readonly before: unknown }> = {
    kind: 'insert',
    table: undefined,
    before: undefined,
    after: Buffer.from(present),
    rows: new ByteReader(Buffer.from(bytes)),
    isUnchecked: false,
  }
  const rows = [
    ...changedRows(
      event,
      columns,
      columns.map(() => true),
    ),
  ]
  return rows.map(({ after }) => Object.fromEntries(after!))
}

it('a row says for each column that it has whether it is null', () => {
  const columns = columnsOf(10)
  const values = (from: number) =>
    Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 9].map((i) => [`c${i}`, String(from + i)]))
  // Eight of ten columns need a byte.
  const bytes = [0, 10, 11, 12, 13, 14, 15, 16, 19]
  expect(rowsIn([0x7f, 2], columns, ...bytes, ...bytes)).toEqual([values(10), values(10)])
  expect(rowsIn([0x7f, 2], columns, 0x81, 11, 12, 13, 14, 15, 16)).toEqual([
    { ...values(10), c0: null, c9: null },
  ])
})

it('a row lacks the columns whose values have no text', () => {
  expect(rowsIn([3], columnsOf(2, 0), 0, 1, 2)).toStrictEqual([{ c1: '2' }])
})
