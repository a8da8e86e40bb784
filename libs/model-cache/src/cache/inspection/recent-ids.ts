import type { RecentEvent } from '../telemetry/history.js'
import { entryIn, type RowId } from '../../protocol/index.js'

/** A row, or an entry of a lookup, that a process has read from its source or heard a write of. */
export interface RecentId {
  /** Null for a row. */
  readonly lookup: string | null
  /** The id of the row, or the key of the entry, as it is typed. */
  readonly id: string
  readonly agoMs: number
  readonly what: RecentEvent['what']
}

/** The most recent ids that a process reports, of the rows of a cache and of each lookup. */
export const maxRecent = 10

/**
 * The newest first.
 *
 * @param textOf what a row or an entry is to be typed as
 */
export function recentIdsOf(
  events: Iterable<RecentEvent>,
  textOf: (rowId: RowId) => string,
): readonly RecentId[] {
  const nowMs = performance.now()
  const counts = new Map<string | null, number>()
  const recent: RecentId[] = []
  for (const { atMs, rowId, what } of events) {
    const lookup = entryIn(rowId)?.lookup ?? null
    const count = counts.get(lookup) ?? 0
    if (count === maxRecent) continue
    counts.set(lookup, count + 1)
    recent.push({ lookup, id: textOf(rowId), agoMs: nowMs - atMs, what })
  }
  return recent
}
