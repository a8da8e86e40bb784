import type { RowCodec } from '../context.js'

/** Freezes a row that is shared. One that does not match its schema, which encoding has reported, is served unfrozen. */
export function shareRow<Row>(codec: RowCodec<Row>, row: Row): void {
  if (Object.isFrozen(row)) return
  try {
    codec.freeze(row)
  } catch {
    // As it is.
  }
}
