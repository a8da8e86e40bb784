/** What the fluent API returns of a row: `['select', 'bids']` stands for `update(…).bids()`. */
export function follow(row: unknown, dataPath: readonly string[]): unknown {
  // Nearly always.
  if (dataPath.length === 0) return row
  return dataPath
    .filter((_, index) => index % 2 === 1)
    .reduce<unknown>((value, relation) => value && (value as Record<string, unknown>)[relation], row)
}
