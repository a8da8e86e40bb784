/** Identifies a row of a model in memory: its id, or the fields of a composite id as one string. */
export type RowId = string | number | bigint

/**
 * Characters of the longest id, or key of a lookup, whose row is stored. Callers choose ids, also of rows that do not exist, and each is
 * a part of several keys.
 */
export const maxIdLength = 1_024

/** No column has such integers. */
const longestBigInt = 2n ** 64n

/** Whether no row is stored under an id, nor kept in memory, so that a write to it needs no fence. */
export function isLong(rowId: RowId): boolean {
  if (typeof rowId === 'string') return rowId.length > maxIdLength
  return typeof rowId === 'bigint' && (rowId >= longestBigInt || rowId <= -longestBigInt)
}
