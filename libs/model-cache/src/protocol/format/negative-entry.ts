import type { RowId } from './row-id.js'

/**
 * The payload of a negative entry: a mark that no codec's payload begins with, a semicolon, and the row id, so that one copied
 * under another key is refused, as a row of another id is. Its envelope has the existence epoch where that of a row has the
 * epoch: creating a row ends negative entries, and leaves rows as they are.
 *
 * ```
 * -;<id>
 * ```
 */
export function negativeEntryOf(rowId: RowId): string {
  return `${start}${String(rowId)}`
}

export function isNegativeEntry(bytes: Buffer, payloadStart: number): boolean {
  return bytes[payloadStart] === mark
}

export function isNegativeEntryOf(bytes: Buffer, payloadStart: number, rowId: RowId): boolean {
  return (
    isNegativeEntry(bytes, payloadStart) && bytes.toString('utf8', payloadStart) === negativeEntryOf(rowId)
  )
}

const start = '-;'
const mark = start.charCodeAt(0)
