import type { LoggedRow } from '../logged-change.js'
import type { BinlogEvent } from './binlog-events.js'
import type { ByteReader } from './byte-reader.js'
import type { MappedColumn } from './table-map.js'

type RowsEvent = Extract<BinlogEvent, { readonly before: unknown }>

/** A changed row: the texts of its wanted columns, before the change and after it. */
export interface ChangedRow {
  readonly before: LoggedRow | undefined
  readonly after: LoggedRow | undefined
}

/** Reads the rows of an event. @param isWanted by the index of a column */
export function* changedRows(
  { after, before, rows }: RowsEvent,
  columns: readonly MappedColumn[],
  isWanted: readonly boolean[],
): Generator<ChangedRow> {
  while (rows.left > 0) {
    yield {
      before: before && readRow(rows, columns, before, isWanted),
      after: after && readRow(rows, columns, after, isWanted),
    }
  }
}

/** Whether rows of an event have all columns. */
export function areWhole(present: Buffer | undefined, columns: number): boolean {
  return present === undefined || Array.from({ length: columns }, (_, i) => isSet(present, i)).every(Boolean)
}

function readRow(
  reader: ByteReader,
  columns: readonly MappedColumn[],
  present: Buffer,
  isWanted: readonly boolean[],
): LoggedRow {
  const row = new Map<string, string | null>()
  let count = 0
  for (let i = 0; i < columns.length; i++) if (isSet(present, i)) count++
  const nulls = reader.bytes(Math.ceil(count / 8))
  let nth = 0
  for (const [i, column] of columns.entries()) {
    if (!isSet(present, i)) continue
    const isNull = isSet(nulls, nth++)
    if (isNull) {
      if (isWanted[i]) row.set(column.name, null)
      continue
    }
    const length = column.length(reader)
    if (!isWanted[i]) {
      reader.skip(length)
      continue
    }
    const text = column.text(reader.bytes(length))
    if (text !== undefined) row.set(column.name, text)
  }
  return row
}

const isSet = (bits: Buffer, i: number): boolean => ((bits[i >> 3]! >> (i & 7)) & 1) === 1
