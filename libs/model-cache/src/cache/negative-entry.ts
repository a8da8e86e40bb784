import type { RowId } from '../consistency/row-id.js'

/**
 * What is stored where there is no row: words behind a mark that no codec's text begins with, each followed by a semicolon, and
 * the id. So a marker that was copied under another key is refused, as a row of another id is. Its envelope has the membership word of the
 * model where that of a row has the epoch: a row that is created ends absences, and leaves rows as they are.
 *
 * ```
 * -;<id>
 * ```
 */
export function negativeEntryOf(rowId: RowId): string {
  return `${start}${String(rowId)}`
}

/** Whether an absence begins at a place. */
export function isNegativeEntry(bytes: Buffer, textStart: number): boolean {
  return bytes[textStart] === mark
}

/** Whether what begins at a place is the absence of this row. */
export function isNegativeEntryOf(bytes: Buffer, textStart: number, rowId: RowId): boolean {
  return isNegativeEntry(bytes, textStart) && bytes.toString('utf8', textStart) === negativeEntryOf(rowId)
}

const start = '-;'
const mark = start.charCodeAt(0)
