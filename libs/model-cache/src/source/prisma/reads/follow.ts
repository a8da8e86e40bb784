/** What the fluent API returns of a row: `['select', 'bids']` stands for `update(…).bids()`. */
export function follow(row: unknown, dataPath: readonly string[]): unknown {
  let value = row
  for (let i = 1; i < dataPath.length; i += 2) value &&= (value as Record<string, unknown>)[dataPath[i]!]
  return value
}
