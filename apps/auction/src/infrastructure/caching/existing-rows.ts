/** Drops the `null` of rows that were deleted after the list of their ids was cached. */
export function existingRows<Row>(rows: readonly (Row | null)[]): Row[] {
  return rows.filter((row) => row !== null)
}
