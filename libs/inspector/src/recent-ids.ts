import { entryIn, type InspectedCache, type RecentEvent, type RowId, textOfKey } from 'model-cache/internal'

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

/** The rows and entries that this process has loaded or heard a write of, the newest first. */
export function recentIdsOf(cache: InspectedCache<unknown, unknown>): readonly RecentId[] {
  const nowMs = performance.now()
  const counts = new Map<string | null, number>()
  const recent: RecentId[] = []
  for (const { atMs, rowId, what } of cache.context.telemetry.history.recent()) {
    const lookup = entryIn(rowId)?.lookup ?? null
    const count = counts.get(lookup) ?? 0
    if (count === maxRecent) continue
    counts.set(lookup, count + 1)
    recent.push({ lookup, id: textOfAny(cache, rowId), agoMs: nowMs - atMs, what })
  }
  return recent
}

/** What a row is to be typed as, or the key of an entry. */
export function textOfAny(cache: InspectedCache<unknown, unknown>, rowId: RowId): string {
  const entry = entryIn(rowId)
  const bound = entry && cache.lookups.all.find((lookup) => lookup.bound.name === entry.lookup)?.bound
  return entry && bound ? textOfKey(bound.description.key, entry.key) : cache.textOf(rowId)
}
