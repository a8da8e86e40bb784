import { belongs, fieldOf, idsIn, isComplete, isUnique, lookups, rankIn, compared } from './row.ts'
import type { Entry, Key, Row } from './row.ts'
import type { Rules } from './rules.ts'

/** Whether the row that the entry has at this position is still to be answered. */
export function isPlaced(
  row: Row,
  entry: Entry,
  at: number,
  key: Key,
  { rowsAreValidated, placesAreValidated }: Rules,
): boolean {
  if (row === 0) return false
  if (!rowsAreValidated) return true
  if (!belongs(row, key)) return false
  const isPlaceless = !placesAreValidated || !lookups[key.lookup].isOrdered
  return isPlaceless || fieldOf(row, 'rank') === rankIn(entry, at)
}

/** Whether an entry of which a row was left out is loaded again. */
export function mustReload(entry: Entry, key: Key, { reloads, uniqueReloads }: Rules): boolean {
  if (isUnique(key)) return uniqueReloads
  return reloads === 'all lists' || (reloads === 'complete lists') === isComplete(entry)
}

/** The positions of the rows that are answered, in the order in which they are. */
export function answered(entry: Entry, rows: readonly Row[], key: Key, rules: Rules): readonly number[] {
  const ids = idsIn(entry)
  const kept = [...ids.keys()].filter((at) => isPlaced(rows[at]!, entry, at, key, rules))
  if (rules.order === 'of the database') return kept
  return kept.toSorted((a, b) => compared(rows[a]!, ids[a]!, rows[b]!, ids[b]!))
}
