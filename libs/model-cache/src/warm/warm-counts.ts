/** What became of a hint. */
export type WarmResult = (typeof warmResults)[number]

/** Hints by what became of them. */
export type WarmCounts = Readonly<Record<WarmResult, number>>

/**
 * `stored`: the row was loaded, and is stored. `present`: it was stored already, also as a negative entry. `not_found`: the database has
 * no such row. `skipped`: this application has no such cache, or no such id. `refused`: the row was not stored, because a write was under
 * way, or nothing may be stored now. `failed`: the database or the store failed.
 */
export const warmResults = ['stored', 'present', 'not_found', 'skipped', 'refused', 'failed'] as const

export function warmCountsOf(counts: Partial<WarmCounts> = {}): WarmCounts {
  return { stored: 0, present: 0, not_found: 0, skipped: 0, refused: 0, failed: 0, ...counts }
}

export function addWarmCounts(one: WarmCounts, other: WarmCounts): WarmCounts {
  return warmCountsOf(Object.fromEntries(warmResults.map((result) => [result, one[result] + other[result]])))
}

/** Whether hints were of use: the store has rows of them, or that there are none. */
export function isUseful({ not_found, present, stored }: WarmCounts): boolean {
  return stored + present + not_found > 0
}

/** Returns the counts in an answer; undefined for what no process of this version answers. */
export function warmCountsIn(value: unknown): WarmCounts | undefined {
  const counts = Object(value) as Record<string, unknown>
  return warmResults.every((result) => typeof counts[result] === 'number')
    ? warmCountsOf(counts as Partial<WarmCounts>)
    : undefined
}

export function describeIds(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'id' : 'ids'}`
}

/** For people: `12 stored, 3 present, …` */
export function describeWarmCounts(counts: WarmCounts): string {
  return warmResults
    .map((result) => `${counts[result].toLocaleString('en')} ${result.replace('_', ' ')}`)
    .join(', ')
}
